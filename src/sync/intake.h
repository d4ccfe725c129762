#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/timestamp.h"
#include "store/archive_reader.h"
#include "store/quarantine.h"
#include "sync/spool.h"

namespace spoor::sync {

/// How a store takes what comes from another one.
struct Intake {
  std::string file;   ///< the store's path: a transfer's file is next to it
  std::string actor;  ///< of the operation
  std::uint64_t most_bytes = std::uint64_t{16} << 30U;  ///< of the objects of one transfer
  std::uint64_t most_objects = 20'000'000;              ///< of one transfer
  std::size_t most_tombstones = 1'000;                  ///< of one transfer: the store reads all
  /// May refuse an object, and with it the whole transfer. May be empty.
  std::function<Result<void>(const store::NewObject&)> admits = {};
  /// May refuse the name of a ref that moves, in the same way. May be empty.
  std::function<Result<void>(const std::string&)> admits_ref = {};
  /// Makes the change of refs instead of the quarantine's commit(), for a store with further
  /// conditions. May be empty.
  std::function<Result<void>(std::unique_ptr<store::Quarantine>, const store::Transaction&)>
      settle = {};
};

/// Returns the moves to make when the objects of an archive are there: `with` is the store with
/// them. An error refuses the archive.
using ChooseMoves = std::function<Result<std::vector<store::RefMove>>(
    const store::Store& with, const store::ArchiveHead& head)>;

/// Verifies an archive in quarantine, and then stores its objects and moves the refs, as one
/// change. Whatever is wrong, nothing is stored. Discards the spool unless the disk failed.
Result<store::Received> take_in(store::Store& store, const Intake& intake, Spool& spool,
                                const ChooseMoves& choose, std::string_view command,
                                Timestamp time);

/// Moves refs to objects that are stored.
Result<void> move_refs(store::Store& store, const Intake& intake, std::vector<store::RefMove> moves,
                       std::string_view command, Timestamp time);

/// Passes on the archive that write_archive() gives for `head`, from the part after `from` on. If
/// it has no such part, the whole: `begin` is called first and told which.
Result<store::ArchiveCount> send_archive(const store::Store& store, const store::ArchiveHead& head,
                                         const std::optional<Oid>& from,
                                         const std::function<Result<void>(bool goes_on)>& begin,
                                         const ByteSink& sink);

}  // namespace spoor::sync
