#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace spoor::store {

// An archive is one portable file with some refs and all that they need (docs/format.md).

/// What stands in front of the objects.
struct ArchiveHead {
  bool is_private = false;       ///< its blobs are salted by a key that is not inside
  std::optional<Oid> operation;  ///< the newest operation of the store it was made from
  std::vector<Ref> refs;         ///< sorted by name, each once

  bool operator==(const ArchiveHead&) const = default;
};

/// How much went out or came in.
struct ArchiveCount {
  std::uint64_t objects = 0;
  std::uint64_t commits = 0;
  std::uint64_t bytes = 0;  ///< of all bodies
};

/// Takes the next bytes. An error ends the writing.
using ByteSink = std::function<Result<void>(std::string_view)>;

/// Writes an archive: whatever an object needs comes before it. Holds names in memory, and the
/// objects of one turn. Code::corrupt when something needed is missing and no tombstone says why,
/// or an object is damaged; Code::invalid when there is no ref or they are not sorted.
Result<ArchiveCount> write_archive(const Store& store, const ArchiveHead& head,
                                   const ByteSink& sink);

/// The first line of every archive, with its end.
constexpr std::string_view kArchiveMagic = "spoor archive 1\n";

}  // namespace spoor::store
