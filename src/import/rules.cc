#include "import/rules.h"

#include <set>

#include "compile/facts_view.h"
#include "import/importer.h"
#include "store/ancestry.h"

namespace spoor::import {
namespace {

using store::Oid;

constexpr std::string_view kBranchFolder = "refs/heads/";

Result<bool> is_of_older_rules(const graph::Repository& repository, const std::string& line) {
  const auto mark = TRY(repository.store().ref(rules_ref(line)));
  if (!mark) return true;
  const auto commit = TRY(repository.reader().commit(*mark));
  compile::FactsView facts;
  TRY(facts.read(commit->meta));
  return facts.get(fact::rules).value_or(1) < kRules;
}

/// Returns true if an importer made the first turn of the line. A user's own branch may have the
/// same name.
Result<bool> begins_imported(const graph::Repository& repository, const Oid& tip,
                             std::string_view tool) {
  const Oid root = TRY(store::ancestor_at(repository.reader(), tip, 0));
  return is_imported(*TRY(repository.reader().commit(root)), tool);
}

}  // namespace

std::string rules_ref(std::string_view line) {
  return "refs/imports/" + std::string(line.substr(kBranchFolder.size()));
}

Result<void> mark_rules(graph::Draft& draft, std::string_view line) {
  compile::Turn mark{.type = compile::Type::note};
  mark.facts.set(fact::rules, kRules);
  return draft.move(rules_ref(line), TRY(draft.append_to(std::nullopt, mark)));
}

bool is_imported(const store::Commit& commit, std::string_view tool) {
  if (!commit.change.empty()) return false;
  compile::FactsView facts;
  return facts.read(commit.meta).has_value() && facts.says(fact::source, tool);
}

Result<std::vector<std::string>> lines_of_older_rules(const graph::Repository& repository,
                                                      const std::vector<std::string>& branches) {
  const std::set<std::string> asked(branches.begin(), branches.end());
  std::set<std::string> lines;
  for (const Importer* importer : importers()) {
    const std::string folder = store::branch_ref(std::string(importer->name) + "/");
    std::set<std::string> names;
    for (const store::Ref& ref : TRY(repository.store().refs(folder))) {
      names.insert(ref.name);
      const std::string line =
          line_of_branch(ref.name, [&](const std::string& name) { return names.contains(name); });
      if (!asked.empty() && !asked.contains(ref.name)) continue;
      if (lines.contains(line) || !TRY(is_of_older_rules(repository, line))) continue;
      if (TRY(begins_imported(repository, ref.target, importer->name))) lines.insert(line);
    }
  }
  std::vector<std::string> all;
  all.reserve(lines.size());
  for (const std::string& line : lines) all.push_back(line.substr(kBranchFolder.size()));
  return all;
}

}  // namespace spoor::import
