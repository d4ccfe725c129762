#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "store/oid.h"

namespace spoor::proof {

/// A hash in a tree: 32 bytes of SHA-256.
using Hash = store::Oid;

/// Returns the hash of an entry, and of two subtrees (RFC 6962, 2.1). Their first bytes differ, so
/// an entry cannot pass for a subtree.
Hash leaf_hash(std::string_view entry);
Hash node_hash(const Hash& left, const Hash& right);

/// The Merkle tree over a list of entries (RFC 6962, 2.1; the same in RFC 9162). It holds every
/// hash: 64 bytes for each entry. `size` selects the tree of the first entries, at most size().
class MerkleTree {
 public:
  void append(std::string_view entry);
  std::uint64_t size() const { return levels_.front().size(); }

  /// Returns the hash of the 2^level entries from number index * 2^level on.
  const Hash& node(unsigned level, std::uint64_t index) const { return levels_.at(level)[index]; }

  /// Returns the root.
  Hash root(std::uint64_t size) const;

  /// Returns the proof that the tree contains the entry `index`, which is less than `size`: the
  /// hashes beside its way to the root, from below (RFC 6962, 2.1.1).
  std::vector<Hash> inclusion(std::uint64_t index, std::uint64_t size) const;

  /// Returns the proof that the tree of `size` entries begins with that of `old_size` entries (RFC
  /// 6962, 2.1.2). Empty if `old_size` is 0 or `size`.
  std::vector<Hash> consistency(std::uint64_t old_size, std::uint64_t size) const;

 private:
  Hash hash_of(std::uint64_t begin, std::uint64_t end) const;

  std::vector<std::vector<Hash>> levels_{1};  // The complete subtrees, the leaves first.
};

/// Returns the root of a tree of `size` entries that contains the leaf at `index`, by its proof;
/// nullopt if the proof has not the length that it needs (RFC 9162, 2.1.3.2).
std::optional<Hash> root_by(const Hash& leaf, std::uint64_t index, std::uint64_t size,
                            std::span<const Hash> proof);

/// Returns whether the proof shows that the tree with the root `root` begins with the tree with the
/// root `old_root` (RFC 9162, 2.1.4.2).
bool is_consistent(std::uint64_t old_size, const Hash& old_root, std::uint64_t size,
                   const Hash& root, std::span<const Hash> proof);

}  // namespace spoor::proof
