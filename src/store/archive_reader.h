#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "store/archive.h"

namespace spoor::store {

/// The conditions under which an archive is taken.
struct ReceiveOptions {
  bool is_private = false;  ///< the store's blobs are salted with a key
  std::size_t most_tombstones = std::numeric_limits<std::size_t>::max();
  std::uint64_t most_objects = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();  ///< of their bodies
  /// Called with each object that is sound. An error refuses the whole archive. May be empty.
  std::function<Result<void>(const NewObject&)> admits = {};
};

/// The result of receive_archive().
struct Received {
  ArchiveHead head;
  ArchiveCount count;
  std::uint64_t left_out = 0;  ///< contents not stored because this store erased them
};

/// Reads an archive to its end and stores its objects. Moves no ref (see place_refs()). Trusts
/// nothing: hashes every name, parses every text, checks every commit's depth, gen and skip against
/// its parents, and searches the ancestors for every target. An object may only name objects that
/// precede it or are in the store, or contents that a tombstone of the archive names. In format 3,
/// each object but tombstones and signatures must be named by a later one or by a ref. Such a
/// tombstone only explains an absence: it removes nothing from this store and blocks nothing that
/// comes later. Memory: the largest object, the archive's tombstones and signatures, about a
/// hundred bytes per object, and a few megabytes.
///
/// Code::corrupt for anything but a whole, valid archive; the message names the object and the fsck
/// rule that it breaks. Code::denied beyond the limits, or if only one of archive and store is
/// private, Code::not_found if it builds on an object that is not stored. Objects are stored before
/// the whole archive is verified: pass a Quarantine if that matters.
Result<Received> receive_archive(Store& store, const ReceiveOptions& options,
                                 const ByteSource& source);

/// One ref of an archive and its name in this store.
struct PlacedRef {
  std::string name;  ///< in the archive
  std::string as;    ///< in this store: `name`, or that with `-imported`, `-imported-2`, …
  Oid target;
  bool is_new = false;  ///< false: the store already has this ref, at the same object
};

/// Chooses a name in this store for each ref of an archive. Never moves an existing ref: if a ref
/// exists with another target, the archive's gets a new name.
Result<std::vector<PlacedRef>> place_refs(const Store& store, const ArchiveHead& head);

}  // namespace spoor::store
