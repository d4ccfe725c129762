#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/archive_parts.h"
#include "store/store.h"

namespace spoor::store {

// An archive is one portable file with some refs and all objects that they need (docs/format.md).

/// The part of an archive before the objects.
struct ArchiveHead {
  bool is_private = false;  ///< its blobs are salted with a key that the archive does not contain
  std::optional<Oid> operation;  ///< the newest operation of the store it was made from
  /// Objects that its reader has, with all that they need: the archive builds on them. Sorted.
  std::vector<Oid> haves;
  std::vector<Ref> refs;  ///< sorted by name, each once

  bool operator==(const ArchiveHead&) const = default;
};

/// The amounts written or read.
struct ArchiveCount {
  std::uint64_t objects = 0;
  std::uint64_t commits = 0;
  std::uint64_t bytes = 0;  ///< of all bodies
};

/// Returns the lines of a head, in format 3.
std::string archive_head_text(const ArchiveHead& head);

/// Writes an archive to `sink`, each object after the objects that it needs; calls it as PartWriter
/// does. Leaves out what the haves contain, as far as that can be told without reading it all; a
/// have that is not stored here is as good as none. Equal heads over an equal store give equal
/// archives. Holds names, and some megabytes of objects, in memory. Code::corrupt if an object is
/// damaged, or a needed one is missing without a tombstone; Code::invalid if `head` has no ref or
/// they are not sorted.
Result<ArchiveCount> write_archive(const Store& store, const ArchiveHead& head,
                                   const ByteSink& sink);

/// The first line of an archive, including its LF. The earlier formats are read: one stream that is
/// not compressed, and the same with ropes.
constexpr std::string_view kArchiveMagic = "spoor archive 3\n";
constexpr std::string_view kPlainArchiveMagic = "spoor archive 1\n";
constexpr std::string_view kRopeArchiveMagic = "spoor archive 2\n";

}  // namespace spoor::store
