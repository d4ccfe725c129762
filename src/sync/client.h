#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sync/intake.h"
#include "sync/journal.h"
#include "sync/message.h"
#include "sync/remotes.h"

namespace spoor::sync {

/// The result of fetch().
struct Fetched {
  std::string head;                      ///< the branch that a clone begins with; may be empty
  Seen seen;                             ///< to be noted
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
///
/// Code::conflict if the other store's log contradicts what was seen of it: it was restored from a
/// backup, or rewritten. With `accepts_rewind` it is taken as it is now.
Result<Fetched> fetch(store::Store& store, Link& link, const KnownRemote& remote,
                      const Intake& intake, Timestamp time, bool accepts_rewind = false);

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
  Seen seen;                   ///< to be noted
};

/// Moves refs of another store, and sends what they need; all of it or nothing. Code::conflict,
/// with a hint, if a ref would not go forward or is not where it was last seen, or as in fetch().
Result<Pushed> push(store::Store& store, Link& link, const KnownRemote& remote,
                    std::vector<Pushing> refs, const Intake& intake, Timestamp time);

}  // namespace spoor::sync
