#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sync/intake.h"
#include "sync/journal.h"
#include "sync/message.h"

namespace spoor::sync {

/// Another store: its name here, what was last seen of it, and the way to it.
struct Remote {
  std::string name;
  std::optional<Oid> seen;  ///< its newest operation then
};

/// The result of fetch().
struct Fetched {
  std::string head;  ///< the branch that a clone begins with; may be empty
  std::optional<Oid> seen;
  std::vector<store::RefMove> moves;     ///< made here
  std::vector<std::string> not_forward;  ///< refs of the record that differ here, and were left
  std::vector<std::pair<std::string, std::string>> not_named;  ///< new tags not made, and why
  store::ArchiveCount count;
  std::uint64_t left_out = 0;  ///< contents not stored because this store erased them
};

/// Gets what another store has: its refs get tracking refs here, its tags that are new here become
/// tags, and refs of the record (runs, notes, sources) go forward. Branches do not move. All of it
/// is one change. If it is cut, the next call goes on after the last whole part. Code::unavailable
/// if the other side is lost.
Result<Fetched> fetch(store::Store& store, Link& link, const Remote& remote, const Intake& intake,
                      Timestamp time);

/// A ref to be pushed.
struct Pushing {
  std::string ref;           ///< its full name there
  std::optional<Oid> after;  ///< nullopt: to be removed
  /// It may move to where it does not lead, or be removed, if it is still where it was last seen.
  bool is_leased = false;
};

/// The result of push().
struct Pushed {
  std::vector<store::RefMove> moves;  ///< made there
  store::ArchiveCount count;
  std::uint64_t left_out = 0;  ///< contents that the other store erased, and did not store
};

/// Moves refs of another store, and sends what they need; all of it or nothing. Code::conflict,
/// with a hint, if a ref would not go forward or is not where it was last seen.
Result<Pushed> push(store::Store& store, Link& link, const Remote& remote,
                    std::vector<Pushing> refs, const Intake& intake, Timestamp time);

}  // namespace spoor::sync
