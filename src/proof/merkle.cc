#include "proof/merkle.h"

#include <bit>

#include "store/sha256.h"

namespace spoor::proof {
namespace {

// Returns the number of entries in the left part of a tree of `size`, 2 or more: the largest power
// of two below it.
std::uint64_t left_of(std::uint64_t size) { return std::bit_floor(size - 1); }

// The place of a node and of the last node on one level of a tree, on the way up to the root.
struct Climb {
  std::uint64_t at;
  std::uint64_t last;

  bool is_right_or_last() const { return at % 2 == 1 || at == last; }
  void up() {
    at >>= 1U;
    last >>= 1U;
  }
  // The last node of a level has no sibling there: it goes up until it is a right child.
  void up_past_missing_siblings() {
    while (at % 2 == 0 && at != 0) up();
  }
};

}  // namespace

Hash leaf_hash(std::string_view entry) { return store::sha256(std::string_view("\0", 1), entry); }

Hash node_hash(const Hash& left, const Hash& right) {
  return store::sha256("\1", left.view(), right.view());
}

void MerkleTree::append(std::string_view entry) {
  Hash made = leaf_hash(entry);
  for (std::size_t level = 0;; ++level) {
    if (level == levels_.size()) levels_.emplace_back();
    std::vector<Hash>& hashes = levels_[level];
    hashes.push_back(made);
    if (hashes.size() % 2 == 1) return;
    made = node_hash(hashes[hashes.size() - 2], hashes.back());
  }
}

// `begin` is a multiple of the largest power of two that is not above `end - begin`.
Hash MerkleTree::hash_of(std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t size = end - begin;
  if (std::has_single_bit(size)) {
    return node(static_cast<unsigned>(std::countr_zero(size)), begin / size);
  }
  const std::uint64_t middle = begin + left_of(size);
  return node_hash(hash_of(begin, middle), hash_of(middle, end));
}

Hash MerkleTree::root(std::uint64_t size) const {
  return size == 0 ? store::sha256("") : hash_of(0, size);
}

std::vector<Hash> MerkleTree::inclusion(std::uint64_t index, std::uint64_t size) const {
  std::vector<Hash> from_above;
  for (std::uint64_t begin = 0, end = size; end - begin > 1;) {
    const std::uint64_t middle = begin + left_of(end - begin);
    if (index < middle) {
      from_above.push_back(hash_of(middle, end));
      end = middle;
    } else {
      from_above.push_back(hash_of(begin, middle));
      begin = middle;
    }
  }
  return {from_above.rbegin(), from_above.rend()};
}

std::vector<Hash> MerkleTree::consistency(std::uint64_t old_size, std::uint64_t size) const {
  std::vector<Hash> from_above;
  if (old_size == 0) return from_above;
  std::uint64_t begin = 0;
  std::uint64_t end = size;
  while (end != old_size) {
    const std::uint64_t middle = begin + left_of(end - begin);
    if (old_size <= middle) {
      from_above.push_back(hash_of(middle, end));
      end = middle;
    } else {
      from_above.push_back(hash_of(begin, middle));
      begin = middle;
    }
  }
  if (begin > 0) from_above.push_back(hash_of(begin, end));  // Else it is the old root itself.
  return {from_above.rbegin(), from_above.rend()};
}

std::optional<Hash> root_by(const Hash& leaf, std::uint64_t index, std::uint64_t size,
                            std::span<const Hash> proof) {
  if (index >= size) return std::nullopt;
  Climb climb{index, size - 1};
  Hash root = leaf;
  for (const Hash& sibling : proof) {
    if (climb.last == 0) return std::nullopt;
    if (climb.is_right_or_last()) {
      root = node_hash(sibling, root);
      climb.up_past_missing_siblings();
    } else {
      root = node_hash(root, sibling);
    }
    climb.up();
  }
  return climb.last == 0 ? std::optional(root) : std::nullopt;
}

bool is_consistent(std::uint64_t old_size, const Hash& old_root, std::uint64_t size,
                   const Hash& root, std::span<const Hash> proof) {
  if (old_size > size) return false;
  if (old_size == size) return proof.empty() && old_root == root;
  if (old_size == 0) return proof.empty() && old_root == store::sha256("");
  Climb climb{old_size - 1, size - 1};
  while (climb.at % 2 == 1) climb.up();
  Hash first = old_root;  // A complete tree is a node of the new one.
  if (!std::has_single_bit(old_size)) {
    if (proof.empty()) return false;
    first = proof.front();
    proof = proof.subspan(1);
  }
  Hash seen_old = first;
  Hash seen = first;
  for (const Hash& each : proof) {
    if (climb.last == 0) return false;
    if (climb.is_right_or_last()) {
      seen_old = node_hash(each, seen_old);
      seen = node_hash(each, seen);
      climb.up_past_missing_siblings();
    } else {
      seen = node_hash(seen, each);
    }
    climb.up();
  }
  return climb.last == 0 && seen_old == old_root && seen == root;
}

}  // namespace spoor::proof
