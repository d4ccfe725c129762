#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace spoor::store {

// An archive is one portable file with some refs and all objects that they need (docs/format.md).

/// The part of an archive before the objects.
struct ArchiveHead {
  bool is_private = false;  ///< its blobs are salted with a key that the archive does not contain
  std::optional<Oid> operation;  ///< the newest operation of the store it was made from
  std::vector<Ref> refs;         ///< sorted by name, each once

  bool operator==(const ArchiveHead&) const = default;
};

/// The amounts written or read.
struct ArchiveCount {
  std::uint64_t objects = 0;
  std::uint64_t commits = 0;
  std::uint64_t bytes = 0;  ///< of all bodies
};

/// Takes the next bytes. An error ends write_archive().
using ByteSink = std::function<Result<void>(std::string_view)>;

/// Writes an archive to `sink`, each object after the objects that it needs. Holds names and the
/// objects of one turn in memory. Code::corrupt if an object is damaged, or a needed one is missing
/// without a tombstone; Code::invalid if `head` has no ref or they are not sorted.
Result<ArchiveCount> write_archive(const Store& store, const ArchiveHead& head,
                                   const ByteSink& sink);

/// The first line of an archive, including its LF. One from a store with ropes has the second, so
/// that an older spoor says why it does not read it.
constexpr std::string_view kArchiveMagic = "spoor archive 1\n";
constexpr std::string_view kRopeArchiveMagic = "spoor archive 2\n";

}  // namespace spoor::store
