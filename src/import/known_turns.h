#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/repository.h"
#include "import/given_messages.h"
#include "import/names.h"

namespace spoor::import {

/// Returns a key of what a turn contains: its type, text, pictures and calls, and the call that it
/// answers; not when or where it was written. Two captures of one conversation have equal keys
/// along their common front. Derived: it is never stored, and never part of a name.
RecordKey turn_key(const compile::Turn& turn, bool is_compress = false);

/// Extends the key of a conversation's front by one turn. A front is the turns up to the first
/// answer of the model, without its reasoning, which many programs do not send back. Two captures
/// of one conversation have the same key; two conversations hardly ever do.
RecordKey longer_front(const RecordKey& front, const RecordKey& turn, bool is_reasoning);

/// Returns true if a turn ends a front: a text or a call of the model.
bool is_answer(const compile::Turn& turn);

/// The place of an answer that has a name in its source.
struct Answer {
  store::Oid turn;  ///< the answer's last turn
  std::string ref;  ///< full name of the line's ref
};

/// A cache of the lines in the store: the branches that exist at the first query, as the draft that
/// asks leaves them, and those passed to add(). Shared by the sources of one run, so that each line
/// is read once. Takes about 100 bytes an answer, and nothing before the first query. For one
/// thread.
class KnownLines {
 public:
  /// Returns the full names of the branches of `tool` that begin with `front`, in order.
  Result<std::vector<std::string>> find_front(const graph::Repository& repository,
                                              const graph::Draft& draft, const std::string& tool,
                                              const RecordKey& front);

  /// Returns the front of the line that ends in `tip`; nullopt if it has none or cannot be read.
  std::optional<RecordKey> front_of(const graph::Repository& repository, const store::Oid& tip);

  /// Returns the answer with this `message_id` in its source. If several lines of `tool` contain
  /// it, returns it on the first line, by name.
  Result<std::optional<Answer>> find_answer(const graph::Repository& repository,
                                            const graph::Draft& draft, const std::string& tool,
                                            std::string_view message_id);

  /// Forgets the lines, because others may have written since. What was read of turns stays known.
  void forget();

  /// The messages that models were given in the sources so far.
  GivenMessages& given() { return given_; }

  /// Remembers that the turn which would be the commit `made` is `there`, another capture's, and
  /// that no fact of it is missing there.
  void meet(const store::Oid& made, const store::Oid& there) { met_.emplace(made, there); }

  /// Returns the turn that met `made`; null if none did.
  const store::Oid* met(const store::Oid& made) const {
    const auto found = met_.find(made);
    return found == met_.end() ? nullptr : &found->second;
  }

  /// Adds a branch that was made or that grew. Does nothing before the first query for `tool`.
  Result<void> add(const graph::Repository& repository, const std::string& tool,
                   const std::string& ref, const store::Oid& tip);

 private:
  struct Fronts {
    std::set<std::string> seen;
    std::unordered_map<RecordKey, std::set<std::string>> refs;
  };
  struct Answers {
    struct AnswerPlace {
      store::Oid turn;
      std::size_t ref = 0;
    };
    std::vector<std::string> refs;
    std::unordered_map<RecordKey, AnswerPlace> places;  // By the answer's name.
  };
  struct KeyOfCommit {
    RecordKey key;
    bool is_answer = false;
    bool is_reasoning = false;
  };
  const KeyOfCommit* key_of(const graph::Repository& repository, const store::Oid& commit);
  std::optional<RecordKey> read_front(const graph::Repository& repository, const store::Oid& tip);
  void add_front(const graph::Repository& repository, Fronts& fronts, const std::string& ref,
                 const store::Oid& tip);
  static Result<void> add_answers(const graph::Repository& repository, Answers& answers,
                                  const std::string& ref, const store::Oid& tip);

  std::map<std::string, Fronts> fronts_;  // By importer.
  std::map<std::string, Answers> answers_;
  std::unordered_map<store::Oid, std::optional<RecordKey>> front_by_tip_;  // By the tips queried.
  std::unordered_map<store::Oid, KeyOfCommit> keys_;                       // Turns in fronts.
  std::unordered_map<store::Oid, store::Oid> met_;
  GivenMessages given_;
};

/// Turns of a conversation that may occur again in another capture of it: the order of the turns,
/// and the turn_key() of each. For one thread.
class KnownTurns {
 public:
  explicit KnownTurns(const graph::Repository& repository) : repository_(repository) {}

  /// Adds all turns of a line, from its root to `tip`.
  Result<void> add_line(const store::Oid& tip);

  /// Adds one turn after `parent`; nullopt: a root.
  void add(const std::optional<store::Oid>& parent, const store::Oid& turn, const RecordKey& key,
           bool is_reasoning = false);

  /// Returns true if a known turn follows `parent`.
  bool has_after(const store::Oid& parent) const { return children_.contains(parent); }

  /// Returns true if `turn` is known.
  bool has(const store::Oid& turn) const { return known_.contains(turn); }

  /// Returns the turns after `parent` with this key, oldest known first. Turns marked with give()
  /// are left out: two equal turns in one capture are two turns.
  std::vector<store::Oid> find(const std::optional<store::Oid>& parent, const RecordKey& key);

  /// Returns such turns that are separated from `parent` by reasoning alone.
  std::vector<store::Oid> find_after_reasoning(const std::optional<store::Oid>& parent,
                                               const RecordKey& key);

  /// Returns true if `turn` is known and not marked as used.
  bool is_free(const store::Oid& turn) const { return has(turn) && !given_.contains(turn); }

  /// Marks a found turn as used.
  void give(const store::Oid& turn) { given_.insert(turn); }

  /// Removes all marks, for another conversation of the same source: it may find the same turns
  /// again.
  void take_back() { given_.clear(); }

 private:
  struct Children {
    std::vector<store::Oid> unread;  // Their keys are not read yet.
    std::unordered_map<RecordKey, std::vector<store::Oid>> by_key;
    std::vector<store::Oid> reasoning;
  };
  Children* read_after(const std::optional<store::Oid>& parent);
  std::vector<store::Oid> free_of(const Children& children, const RecordKey& key) const;

  Children& after(const std::optional<store::Oid>& parent) {
    return parent ? children_[*parent] : roots_;
  }

  const graph::Repository& repository_;
  Children roots_;
  std::unordered_map<store::Oid, Children> children_;
  std::unordered_set<store::Oid> known_;
  std::unordered_set<store::Oid> given_;
};

}  // namespace spoor::import
