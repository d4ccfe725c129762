#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/store.h"

namespace spoor::store {

/// What gc has to know beside the store.
struct GcOptions {
  std::vector<Oid> roots;  ///< to be kept with all they need, beside the refs: HEAD
  Timestamp keep_since;    ///< operations of this time or later keep what they name
  std::string actor;       ///< of the checkpoint, where the log is folded
  /// Called now and then with the number of objects read so far.
  std::function<void(std::uint64_t)> progress = {};
  /// Asked now and then; gc answers Code::interrupted soon after it says true.
  std::function<bool()> is_cancelled = {};
};

/// What nothing needs any more.
struct Garbage {
  std::vector<Oid> commits;                ///< children before their parents
  std::array<std::uint64_t, 7> objects{};  ///< how many go, by Kind, commits too
  std::uint64_t bytes = 0;                 ///< of all their bodies
  std::uint64_t kept = 0;                  ///< objects that stay
  std::uint64_t operations = 0;            ///< of the log that become one checkpoint; 0: none
  Sweep sweep;                             ///< for Store::sweep

  std::uint64_t object_count() const { return sweep.objects.size(); }
};

/// Finds what is reachable from no ref, none of `roots`, no operation within the retention (where
/// its refs were and are, what its `map` names), and nothing that was put lately (Store::loose) and
/// breaks no rule of fsck. An attest whose signature is not that of its key goes.
/// What a commit names it needs: parents, contents, targets, `about`, its prompt's bundle. An
/// attest stays with what it signs; tombstones stay. The operations past the retention become one
/// checkpoint, since they may name what goes; a lone one stays as it is.
///
/// Changes nothing; unless called in Store::exclusive(), what it found may be needed again by the
/// next commit. Reads every object, and takes about a hundred bytes of memory for each.
/// Code::corrupt when the store is not sound enough to tell: a commit that is needed is missing, or
/// an object or operation is damaged. Code::unavailable when writers never let it see one moment.
Result<Garbage> find_garbage(const Store& store, const GcOptions& options);

}  // namespace spoor::store
