#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "store/archive.h"

namespace spoor::store {

/// Fills the front of the buffer and says how much; 0 at the end.
using ByteSource = std::function<Result<std::size_t>(std::span<char>)>;

/// What an archive brought.
struct Received {
  ArchiveHead head;
  ArchiveCount count;
  std::uint64_t left_out = 0;  ///< contents that were erased here, and stay so
};

/// Reads an archive to its end and stores its objects; moves no ref (see place_refs()). Believes
/// nothing: every name is hashed, every text parsed, every commit's place held against its parents,
/// every target looked for among its ancestors, and whatever an object names must be there before
/// it or be a content that a tombstone of the archive names. Such a tombstone explains what is
/// absent; it takes nothing away that is here, and keeps nothing out that comes later.
/// Memory: the largest object, its tombstones and signatures, about a hundred bytes for each
/// object, and a few megabytes.
///
/// Code::corrupt for anything else than a whole archive, naming the object and the rule of fsck
/// that it breaks; Code::denied when the archive is private and the store is not, or the other way
/// round. Objects are put before all were verified: `store` is a Quarantine where it matters.
Result<Received> receive_archive(Store& store, bool is_private, const ByteSource& source);

/// One ref of an archive, and where it went.
struct PlacedRef {
  std::string name;  ///< in the archive
  std::string as;    ///< here: the same, or with `-imported`, `-imported-2`, … behind it
  Oid target;
  bool is_new = false;  ///< false: it was there already, at the same object
};

/// Where each ref of an archive belongs: a ref that is here, and elsewhere, is never moved.
Result<std::vector<PlacedRef>> place_refs(const Store& store, const ArchiveHead& head);

}  // namespace spoor::store
