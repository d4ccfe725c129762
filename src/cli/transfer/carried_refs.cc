#include "cli/transfer/carried_refs.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "agent/record/recording.h"
#include "agent/runs.h"
#include "import/rules.h"
#include "llm/sent_prompt.h"
#include "store/ancestry.h"

namespace spoor::cli {

using store::Oid;

namespace {

// Adds the runs that `target` contains completely, with the refs that identify them.
Result<void> add_runs(const graph::Repository& repository, const Oid& target,
                      std::map<std::string, Oid>& refs) {
  const auto& reader = repository.reader();
  if (!reader.commit(target)) return {};  // A tag of another object.
  std::optional<Error> unreadable;        // Unreadable runs cannot be in an archive.
  for (const agent::RunName& run : TRY(agent::list_readable_runs(repository, unreadable))) {
    if (!TRY(store::is_on_line(reader, run.head, target))) continue;
    refs.emplace(agent::record::head_ref(run.id), run.head);
    if (run.critic) refs.emplace(agent::record::critic_ref(run.id), *run.critic);
  }
  return {};
}

// Adds the trees of attempts that begin on the way to `target`.
Result<void> add_trees(const graph::Repository& repository, const Oid& target,
                       std::map<std::string, Oid>& refs) {
  if (!repository.reader().commit(target)) return {};
  for (const store::Ref& tree : TRY(repository.store().refs("refs/trees/"))) {
    if (!TRY(store::is_on_line(repository.reader(), tree.target, target))) continue;
    refs.emplace(tree.name, tree.target);
  }
  return {};
}

// Adds the refs of the requests that a proxy captured of the conversation up to `target`.
Result<void> add_captures(const graph::Repository& repository, const Oid& target,
                          std::map<std::string, Oid>& refs) {
  if (!repository.reader().commit(target)) return {};
  for (const store::Ref& captures : TRY(llm::capture_refs(repository, target))) {
    refs.emplace(captures.name, captures.target);
  }
  return {};
}

// Adds the ref that records the import rules of an imported branch.
Result<void> add_rules(const store::Store& store, const std::string& branch,
                       std::map<std::string, Oid>& refs) {
  if (!branch.starts_with("refs/heads/")) return {};
  const auto has_mark = [&](const std::string& line) {
    const auto mark = store.ref(import::rules_ref(line));
    return mark && mark.value();
  };
  const std::string name = import::rules_ref(import::line_of_branch(branch, has_mark));
  if (const auto mark = TRY(store.ref(name))) refs.emplace(name, *mark);
  return {};
}

}  // namespace

Result<std::vector<store::Ref>> refs_with_company(Workspace& workspace,
                                                  const std::vector<std::string>& names) {
  if (names.empty()) return workspace.store().refs("");
  std::map<std::string, Oid> found;
  for (const std::string& name : names) {
    std::vector<std::string> full = {store::branch_ref(name), store::tag_ref(name)};
    if (name.starts_with("refs/")) full.insert(full.begin(), name);
    std::optional<Oid> target;
    for (const std::string& each : full) {
      target = TRY(workspace.store().ref(each));
      if (!target) continue;
      found.emplace(each, *target);
      TRY(add_runs(workspace.repository(), *target, found));
      TRY(add_trees(workspace.repository(), *target, found));
      TRY(add_captures(workspace.repository(), *target, found));
      TRY(add_rules(workspace.store(), each, found));
      break;
    }
    if (!target) {
      return not_found(fmt::format("no branch or tag named '{}'", name),
                       "create one with 'spoor branch' or 'spoor tag'");
    }
  }
  std::vector<store::Ref> refs;
  refs.reserve(found.size());
  for (const auto& [name, target] : found) refs.push_back({name, target});
  return refs;
}

}  // namespace spoor::cli
