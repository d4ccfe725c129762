#include "agent/runs.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "store/ancestry.h"
#include "store/operation_walk.h"

namespace spoor::agent {
namespace {

constexpr std::string_view kRuns = "refs/runs/";
constexpr std::string_view kHead = "/head";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kFewestDigits = 4;
constexpr std::size_t kMaxOrigins = 100;  // The limit on runs that continue other runs.

bool is_id(std::string_view text) {
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string ref_of(std::string_view id, std::string_view last) {
  return std::string(kRuns).append(id).append(last);
}

std::string id_of(const store::Ref& ref) {
  std::string_view id = ref.name;
  id.remove_prefix(kRuns.size());
  if (!id.ends_with(kHead)) return {};
  id.remove_suffix(kHead.size());
  return is_id(id) ? std::string(id) : std::string();
}

// Returns the commit whose name begins with the run's id, on the chain of its head.
Result<Oid> root_of(const graph::Repository& repository, std::string_view id, const Oid& head) {
  for (const Oid& found : TRY(repository.store().find(id, store::Kind::commit, 8))) {
    if (TRY(store::is_on_line(repository.reader(), found, head))) return found;
  }
  return corrupt(fmt::format("the run {} has no root before its head", id),
                 "run 'spoor store fsck'");
}

Result<RunName> read_run(const graph::Repository& repository, std::string id, const Oid& head) {
  RunName run;
  run.root = TRY(root_of(repository, id, head));
  run.head = head;
  run.critic = TRY(repository.store().ref(ref_of(id, "/critic")));
  const auto root = TRY(repository.reader().commit(run.root));
  run.began = root->time;
  compile::FactsView facts;
  TRY(facts.read(root->meta));
  run.caller = facts.get(fact::caller_run);
  if (!run.caller.empty()) {
    run.call = facts.get(fact::caller_call).value_or(0);
    run.agent = facts.get(fact::tool);
  }
  run.id = std::move(id);
  return run;
}

// Returns the operation number at which each of these refs was made; 0 if older than the log.
Result<std::map<std::string, std::uint64_t>> made_at(const graph::Repository& repository,
                                                     std::vector<std::string> refs) {
  std::map<std::string, std::uint64_t> found;
  TRY(store::walk_operations(
      repository.store(), [&](const store::LoggedOperation& logged) -> Result<bool> {
        const store::Operation operation = TRY(store::parse_operation(logged.body));
        for (const store::RefMove& move : operation.refs) {
          const auto at = std::find(refs.begin(), refs.end(), move.name);
          if (at == refs.end() || move.before) continue;
          found[move.name] = logged.number;
          refs.erase(at);
        }
        return !refs.empty();
      }));
  return found;
}

Result<void> sort_newest_first(const graph::Repository& repository, std::vector<RunName>& runs) {
  std::map<std::int64_t, int> times;
  for (const RunName& run : runs) ++times[run.began ? run.began->micros : 0];
  const auto time_of = [](const RunName& run) { return run.began ? run.began->micros : 0; };
  std::vector<std::string> tied;
  for (const RunName& run : runs) {
    if (times[time_of(run)] > 1) tied.push_back(ref_of(run.id, kHead));
  }
  std::map<std::string, std::uint64_t> made;
  if (!tied.empty()) made = TRY(made_at(repository, std::move(tied)));
  std::stable_sort(runs.begin(), runs.end(), [&](const RunName& a, const RunName& b) {
    if (time_of(a) != time_of(b)) return time_of(a) > time_of(b);
    return made[ref_of(a.id, kHead)] > made[ref_of(b.id, kHead)];
  });
  return {};
}

Error no_such_run(std::string_view name) {
  return not_found(fmt::format("no run named '{}'", name), "list runs with 'spoor runs'");
}

}  // namespace

Result<std::vector<Origin>> origins_of(const graph::Repository& repository, const Oid& root) {
  std::vector<Origin> origins;
  Oid at = root;
  compile::FactsView facts;
  while (true) {
    const auto commit = TRY(repository.reader().commit(at));
    TRY(facts.read(commit->meta));
    std::string run = facts.get(fact::forked_from);
    if (run.empty()) return origins;
    const bool may_be = is_id(run) && !commit->parents.empty() && origins.size() < kMaxOrigins;
    if (!may_be) {
      return corrupt(fmt::format("the first commit of the run {} is missing", at.hex(kDigits)));
    }
    at = TRY(root_of(repository, run, commit->parents.front()));
    origins.push_back({std::move(run), at, facts.get(fact::from_step).value_or(0)});
  }
}

Result<std::vector<RunName>> list_runs(const graph::Repository& repository) {
  std::optional<Error> unreadable;
  auto runs = TRY(list_readable_runs(repository, unreadable));
  if (unreadable) return *unreadable;
  return runs;
}

Result<std::vector<RunName>> list_readable_runs(const graph::Repository& repository,
                                                std::optional<Error>& unreadable) {
  std::vector<RunName> runs;
  for (const store::Ref& ref : TRY(repository.store().refs(kRuns))) {
    const std::string id = id_of(ref);
    if (id.empty()) continue;
    auto run = read_run(repository, id, ref.target);
    if (run) {
      runs.push_back(std::move(*run));
    } else if (run.error().code != Error::Code::corrupt) {
      return run.error();
    } else if (!unreadable) {
      unreadable = corrupt(fmt::format("cannot read the run {}: {}", id, run.error().message),
                           "run 'spoor store fsck'; name other runs by their ids");
    }
  }
  TRY(sort_newest_first(repository, runs));
  return runs;
}

Result<std::vector<RunName>> called_by(const graph::Repository& repository,
                                       std::string_view caller) {
  std::optional<Error> unreadable;
  auto runs = TRY(list_readable_runs(repository, unreadable));
  std::erase_if(runs, [&](const RunName& run) { return run.caller != caller; });
  std::reverse(runs.begin(), runs.end());
  return runs;
}

Result<RunName> find_run(const graph::Repository& repository, std::string_view name) {
  if (name == "latest") {
    for (RunName& run : TRY(list_runs(repository))) {
      if (run.caller.empty()) return std::move(run);
    }
    return not_found("no runs yet", "start one with 'spoor run GOAL'");
  }
  std::vector<store::Ref> found;
  if (name.size() >= kFewestDigits) {
    for (store::Ref& ref : TRY(repository.store().refs(ref_of(name.substr(0, kDigits), "")))) {
      if (!id_of(ref).empty()) found.push_back(std::move(ref));
    }
  }
  if (found.empty()) return no_such_run(name);
  if (found.size() > 1) {
    std::string ids;
    for (const store::Ref& ref : found) ids += (ids.empty() ? "" : ", ") + id_of(ref);
    return ambiguous(fmt::format("'{}' matches {} runs", name, found.size()), "use one of " + ids);
  }
  RunName run = TRY(read_run(repository, id_of(found.front()), found.front().target));
  if (run.root.hex().compare(0, name.size(), name) != 0) return no_such_run(name);
  return run;
}

Result<std::optional<RunName>> run_of(const graph::Repository& repository, const Oid& commit) {
  const auto found = TRY(repository.reader().commit(commit));
  std::string id = TRY(compile::read_facts(found->meta)).get(fact::run);
  if (!is_id(id)) id = commit.hex(kDigits);
  const auto head = TRY(repository.store().ref(ref_of(id, kHead)));
  if (!head) return std::optional<RunName>();
  return std::optional(TRY(read_run(repository, std::move(id), *head)));
}

bool is_of_run(const store::Commit& commit, const compile::FactsView& facts, std::string_view run) {
  return commit.op == store::Op::append && commit.change.empty() && facts.says(fact::run, run);
}

}  // namespace spoor::agent
