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
#include "import/names.h"

namespace spoor::import {

/// What a turn says, without when and where it was said: its type, text, pictures and calls, and
/// whose result it is. Two captures of one conversation have equal keys along their common front.
/// Derived: it is never stored, and never part of a name.
RecordKey turn_key(const compile::Turn& turn, bool is_compress = false);

/// The front of a conversation: what its turns say up to the first answer of the model, as one
/// key. Two captures of one conversation have the same; two conversations hardly ever do.
RecordKey longer_front(const RecordKey& front, const RecordKey& turn);

/// Does a turn end a front: did the model say something, or call something?
bool is_answer(const compile::Turn& turn);

/// Where an answer is that its source gave a name.
struct Answer {
  store::Oid turn;  ///< its last one
  std::string ref;  ///< full name of the line
};

/// What the lines of importers hold: the branches there are when an importer first asks, and those
/// it is told of. Kept over the sources of one run, so that each line is read once. About 100 bytes
/// an answer, and none until somebody asks for one. For one thread.
class KnownLines {
 public:
  /// Full names of the branches of `tool` that begin with `front`, in order.
  Result<std::vector<std::string>> find_front(const graph::Repository& repository,
                                              const std::string& tool, const RecordKey& front);

  /// The front of the line that ends in `tip`; nothing where it has none, or cannot be read.
  std::optional<RecordKey> front_of(const graph::Repository& repository, const store::Oid& tip);

  /// The answer that its source calls `message_id`. Where several lines of `tool` hold it, it is
  /// the first one's, by name.
  Result<std::optional<Answer>> find_answer(const graph::Repository& repository,
                                            const std::string& tool, std::string_view message_id);

  /// A branch that was made, or that grew. Nothing until `tool` was asked for.
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
  void add_front(const graph::Repository& repository, Fronts& fronts, const std::string& ref,
                 const store::Oid& tip);
  static Result<void> add_answers(const graph::Repository& repository, Answers& answers,
                                  const std::string& ref, const store::Oid& tip);

  std::map<std::string, Fronts> fronts_;  // By importer.
  std::map<std::string, Answers> answers_;
  std::unordered_map<store::Oid, std::optional<RecordKey>> front_by_tip_;  // Those asked for.
};

/// Turns of a conversation that may come again in another capture of it: what follows what, and
/// what each says (turn_key()). For one thread.
class KnownTurns {
 public:
  explicit KnownTurns(const graph::Repository& repository) : repository_(repository) {}

  /// All of a line, from its root to `tip`.
  Result<void> add_line(const store::Oid& tip);

  /// One turn after `parent`; nothing: a root.
  void add(const std::optional<store::Oid>& parent, const store::Oid& turn, const RecordKey& key);

  /// Does anything known follow `parent`?
  bool has_after(const store::Oid& parent) const { return children_.contains(parent); }

  /// Is `turn` known?
  bool has(const store::Oid& turn) const { return known_.contains(turn); }

  /// What follows `parent` and says what `key` says, oldest known first. What was given out
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
