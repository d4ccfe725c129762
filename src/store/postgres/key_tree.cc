#include "store/postgres/key_tree.h"

#include "store/sha256.h"

namespace spoor::store::postgres {
namespace {

constexpr unsigned kDepth = 64;

// The bit of an address that chooses between the children of a node.
std::uint64_t bit_below(unsigned depth) { return std::uint64_t{1} << (kDepth - 1 - depth); }

KeyNode child_of(const KeyNode& node, bool is_second) {
  const std::uint64_t bit = bit_below(node.depth);
  return {is_second ? node.first | bit : node.first, node.depth + 1,
          sha256(view_of(node.seed), std::string_view(is_second ? "\1" : "\0", 1)).bytes};
}

}  // namespace

std::string_view view_of(const Key& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

bool KeyNode::covers(std::uint64_t address) const {
  return depth == 0 || (address ^ first) >> (kDepth - depth) == 0;
}

const KeyNode* KeyTree::covering(std::uint64_t address) const {
  auto after = nodes_.upper_bound(address);
  if (after == nodes_.begin()) return nullptr;
  const KeyNode& node = (--after)->second;
  return node.covers(address) ? &node : nullptr;
}

std::optional<Key> KeyTree::key(std::uint64_t address) const {
  const KeyNode* above = covering(address);
  if (above == nullptr) return std::nullopt;
  KeyNode node = *above;
  while (node.depth < kDepth) node = child_of(node, (address & bit_below(node.depth)) != 0);
  return node.seed;
}

void KeyTree::destroy(std::uint64_t address) {
  const KeyNode* above = covering(address);
  if (above == nullptr) return;
  KeyNode node = *above;
  nodes_.erase(node.first);
  while (node.depth < kDepth) {
    const bool is_second = (address & bit_below(node.depth)) != 0;
    add(child_of(node, !is_second));
    node = child_of(node, is_second);
  }
}

}  // namespace spoor::store::postgres
