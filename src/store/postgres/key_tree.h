#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace spoor::store::postgres {

using Key = std::array<std::uint8_t, 32>;

std::string_view view_of(const Key& key);

/// The keys of a range of addresses: `first` and all that have the same first `depth` bits. Each
/// key follows from `seed`.
struct KeyNode {
  std::uint64_t first = 0;
  unsigned depth = 0;
  Key seed{};

  bool covers(std::uint64_t address) const;
  bool operator==(const KeyNode&) const = default;
};

/// A key for each of 2^64 addresses, in a few seeds, from which single keys can be destroyed.
///
/// It is the pseudorandom function of Goldreich, Goldwasser and Micali ("How to construct random
/// functions", J. ACM 33(4), 1986): a binary tree whose root is a random seed, in which the
/// children of a node are SHA-256(seed 0x00) and SHA-256(seed 0x01), and the keys are the leaves at
/// depth 64. A child does not give its parent or sibling away. So a key is destroyed by replacing
/// the node above it with the siblings along its path: from these every other key follows, and this
/// one does not.
class KeyTree {
 public:
  /// Adds a node. None of its keys may be there already.
  void add(const KeyNode& node) { nodes_.insert_or_assign(node.first, node); }

  /// Returns the node from which the key of `address` follows, or nullptr. Valid until a change.
  const KeyNode* covering(std::uint64_t address) const;

  /// Returns the key of an address; nullopt if no node covers it.
  std::optional<Key> key(std::uint64_t address) const;

  /// Destroys a key. Nothing happens if no node covers it.
  void destroy(std::uint64_t address);

  /// The nodes by their first addresses.
  const std::map<std::uint64_t, KeyNode>& nodes() const { return nodes_; }

  void clear() { nodes_.clear(); }

 private:
  std::map<std::uint64_t, KeyNode> nodes_;
};

}  // namespace spoor::store::postgres
