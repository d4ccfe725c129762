#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/repository.h"
#include "import/names.h"

namespace spoor::import {

using store::Result;

/// The front of a conversation: what its turns say up to the first answer of the model, as one
/// key. Two captures of one conversation have the same; two conversations hardly ever do.
RecordKey longer_front(const RecordKey& front, const RecordKey& turn);

/// Does a turn end a front: did the model say something, or call something?
bool is_answer(const compile::Turn& turn);

/// Which lines of an importer begin how: the branches there are when it is first asked, and those
/// it is told of. Kept over the sources of one run, so that each line is looked at once. For one
/// thread.
class Fronts {
 public:
  /// Full names of the branches of `tool` that begin with `front`, in order.
  Result<std::vector<std::string>> find(const graph::Repository& repository,
                                        const std::string& tool, const RecordKey& front);

  /// A branch that was made. Nothing until `tool` was asked for.
  void add(const graph::Repository& repository, const std::string& tool, const std::string& ref,
           const store::Oid& tip);

  /// The front of the line that ends in `tip`; nothing where it has none, or cannot be read.
  std::optional<RecordKey> of(const graph::Repository& repository, const store::Oid& tip);

 private:
  struct Lines {
    std::set<std::string> seen;
    std::unordered_map<RecordKey, std::set<std::string>> by_front;
  };
  std::map<std::string, Lines> tools_;
  std::unordered_map<store::Oid, std::optional<RecordKey>> by_tip_;  // Those asked for.
};

/// Turns of a conversation that may come again in another capture of it: what stands behind what,
/// and what each says (thread_key.h). For one thread.
class KnownTurns {
 public:
  explicit KnownTurns(const graph::Repository& repository) : repository_(repository) {}

  /// All of a line, from its root to `tip`.
  Result<void> add_line(const store::Oid& tip);

  /// One turn behind `parent`; nothing: a root.
  void add(const std::optional<store::Oid>& parent, const store::Oid& turn, const RecordKey& key);

  /// Does anything known stand behind `parent`?
  bool has_behind(const store::Oid& parent) const { return children_.contains(parent); }

  /// Is `turn` known?
  bool has(const store::Oid& turn) const { return known_.contains(turn); }

  /// What stands behind `parent` and says what `key` says, oldest known first. What was given out
  /// is not found again: two turns that say the same in one capture are two.
  std::vector<store::Oid> find(const std::optional<store::Oid>& parent, const RecordKey& key);

  /// Gives out what was found.
  void give(const store::Oid& turn) { given_.insert(turn); }

  /// Another conversation of the same source: it may meet the same turns again.
  void take_back() { given_.clear(); }

 private:
  struct Children {
    std::vector<store::Oid> unread;  // Nobody asked yet what they say.
    std::unordered_map<RecordKey, std::vector<store::Oid>> by_key;
  };
  Children& behind(const std::optional<store::Oid>& parent) {
    return parent ? children_[*parent] : roots_;
  }

  const graph::Repository& repository_;
  Children roots_;
  std::unordered_map<store::Oid, Children> children_;
  std::unordered_set<store::Oid> known_;
  std::unordered_set<store::Oid> given_;
};

}  // namespace spoor::import
