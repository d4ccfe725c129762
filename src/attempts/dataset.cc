#include "attempts/dataset.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "compile/turn.h"
#include "graph/refs.h"

namespace spoor::attempts {
namespace {

using store::NamedCommit;
using store::Type;

constexpr std::string_view kDatasets = "refs/datasets/";
constexpr const char* kItem = "dataset-item";
constexpr const char* kRemoved = "dataset-item-removed";

std::string ref_of(const std::string& name) { return std::string(kDatasets) + name; }

Result<void> check_name(const std::string& name) {
  const std::string problem = graph::short_name_problem(name);
  if (problem.empty()) return {};
  return invalid(fmt::format("'{}' cannot be the name of a data set: {}", name, problem),
                 "use letters, digits and '-'");
}

compile::Turn turn_of(const Item& item) {
  compile::Turn turn{.type = Type::note, .text = describe(item.expects)};
  turn.facts.set(fact::note, kItem);
  turn.attach.push_back({write_expectation(item.expects)});
  turn.about.push_back(item.turn);
  return turn;
}

Result<Dataset> read_at(const graph::Repository& repository, std::string name, const Oid& tip) {
  Dataset dataset{.name = std::move(name), .items = {}};
  std::vector<NamedCommit> notes;
  TRY(repository.reader().run(tip, std::numeric_limits<std::size_t>::max(),
                              [&](const NamedCommit& commit) {
                                notes.push_back(commit);
                                return true;
                              }));
  for (auto named = notes.rbegin(); named != notes.rend(); ++named) {
    const store::Commit& commit = *named->commit;
    const compile::Facts facts = TRY(compile::read_facts(commit.meta));
    if (commit.about.empty()) continue;
    if (facts.get(fact::note) == kRemoved) {
      std::erase_if(dataset.items,
                    [&](const Item& item) { return item.commit == commit.about.front(); });
    } else if (facts.get(fact::note) == kItem && !commit.attach.empty()) {
      const auto text = TRY(repository.reader().content(commit.attach.front().oid));
      const auto document = json::parse(*text);
      if (!document) continue;  // Erased.
      dataset.items.push_back({.commit = named->oid,
                               .turn = commit.about.front(),
                               .expects = read_expectation(document->root())});
    }
  }
  return dataset;
}

}  // namespace

std::string describe(const Expectation& expects) {
  std::string text;
  const auto add = [&](std::string part) { text += (text.empty() ? "" : ", ") + std::move(part); };
  if (!expects.test.empty()) add(fmt::format("test '{}'", expects.test));
  if (!expects.text.empty()) add(fmt::format("text '{}'", expects.text));
  if (!expects.constraints.empty()) add("constraints");
  if (!expects.judge.empty()) add(fmt::format("judge {}: {}", expects.judge, expects.rubric));
  return text;
}

Result<std::vector<Oid>> add_items(graph::Repository& repository, const std::string& name,
                                   const std::vector<Item>& items) {
  TRY(check_name(name));
  std::vector<compile::Turn> turns;
  for (const Item& item : items) {
    if (item.expects.empty()) {
      return invalid("an item of a data set must expect something",
                     "add --test COMMAND, --expect TEXT, or --judge MODEL with --rubric TEXT");
    }
    turns.push_back(graph::stamped(turn_of(item), repository.author(), repository.clock().now()));
  }
  std::vector<Oid> added;
  if (turns.empty()) return added;
  graph::Branch chain = graph::Branch::on_ref(repository, ref_of(name));
  TRY(chain.write("dataset", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
    added.clear();
    for (const compile::Turn& turn : turns) added.push_back(TRY(draft.append(ref, turn)));
    return added.back();
  }));
  return added;
}

Result<Oid> remove_item(graph::Repository& repository, const std::string& name, const Oid& item) {
  const Dataset dataset = TRY(read_dataset(repository, name));
  const auto found = std::ranges::find_if(
      dataset.items, [&](const Item& each) { return each.commit == item || each.turn == item; });
  if (found == dataset.items.end()) {
    return not_found(fmt::format("'{}' is not an item of the data set '{}'", item.hex(8), name),
                     fmt::format("list them with 'spoor dataset list {}'", name));
  }
  compile::Turn turn{.type = Type::note, .text = "removed: " + describe(found->expects)};
  turn.facts.set(fact::note, kRemoved);
  turn.about.push_back(found->commit);
  graph::Branch chain = graph::Branch::on_ref(repository, ref_of(name));
  return chain.commit(std::move(turn));
}

Result<Dataset> read_dataset(const graph::Repository& repository, const std::string& name) {
  TRY(check_name(name));
  const auto tip = TRY(repository.store().ref(ref_of(name)));
  if (!tip) {
    return not_found(fmt::format("no data set named '{}'", name),
                     "list data sets with 'spoor dataset list', or begin one with 'spoor dataset "
                     "add NAME REV --test COMMAND'");
  }
  return read_at(repository, name, *tip);
}

Result<std::vector<Dataset>> list_datasets(const graph::Repository& repository) {
  std::vector<Dataset> datasets;
  for (const store::Ref& ref : TRY(repository.store().refs(std::string(kDatasets)))) {
    datasets.push_back(TRY(read_at(repository, ref.name.substr(kDatasets.size()), ref.target)));
  }
  return datasets;
}

}  // namespace spoor::attempts
