#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attempts/plan.h"
#include "graph/repository.h"

namespace spoor::attempts {

/// An item of a data set: a turn to go on from, and what decides whether an attempt passes.
struct Item {
  Oid commit;  ///< the note that added it
  Oid turn;
  Expectation expects;
};

/// A data set. Its items are notes on the ref `refs/datasets/NAME`, each about its turn, so a data
/// set is pushed, pulled and kept by gc as any ref, and never loses an item: one that is removed
/// has a later note about it.
struct Dataset {
  std::string name;
  std::vector<Item> items;  ///< in the order in which they were added
};

/// Adds items in one transaction and returns their commits. Returns Code::invalid for a name that
/// cannot be one, and for an item that expects nothing.
Result<std::vector<Oid>> add_items(graph::Repository& repository, const std::string& name,
                                   const std::vector<Item>& items);

/// Removes an item. Returns Code::not_found if the data set has none with this commit or turn.
Result<Oid> remove_item(graph::Repository& repository, const std::string& name, const Oid& item);

/// Returns a data set; Code::not_found with a hint if there is none of this name.
Result<Dataset> read_dataset(const graph::Repository& repository, const std::string& name);

/// Returns all data sets, sorted by name.
Result<std::vector<Dataset>> list_datasets(const graph::Repository& repository);

/// Returns what an expectation asks for, for people: `test 'make check'`.
std::string describe(const Expectation& expects);

}  // namespace spoor::attempts
