#include "store/commit_head.h"

#include <charconv>

namespace spoor::store {
namespace {

constexpr std::size_t kHexSize = 64;

// Moves past the next line if it begins with `key` (including its blank).
bool skip_line(std::string_view& body, std::string_view key) {
  if (!body.starts_with(key)) return false;
  const std::size_t end = body.find('\n');
  if (end == std::string_view::npos) return false;
  body.remove_prefix(end + 1);
  return true;
}

// Advances `body` to the first parent line or the line in its place.
bool skip_to_parent(std::string_view& body) {
  if (!skip_line(body, "op ")) return false;
  if (!skip_line(body, "type ")) skip_line(body, "mode ");
  return true;
}

// Advances `body` past the parents.
bool skip_parents(std::string_view& body) {
  if (!skip_to_parent(body)) return false;
  while (skip_line(body, "parent ")) {
  }
  return true;
}

// Returns the name after `key`, if it ends the line or a blank follows.
std::optional<Oid> name_after(std::string_view body, std::string_view key) {
  const std::size_t end = key.size() + kHexSize;
  if (!body.starts_with(key) || body.size() <= end) return std::nullopt;
  if (body[end] != '\n' && body[end] != ' ') return std::nullopt;
  return Oid::from_hex(body.substr(key.size(), kHexSize));
}

}  // namespace

std::optional<Oid> first_parent_of(std::string_view body) {
  if (!skip_to_parent(body)) return std::nullopt;
  return name_after(body, "parent ");
}

std::optional<std::uint64_t> depth_of(std::string_view body) {
  constexpr std::string_view kDepth = "depth ";
  if (!skip_parents(body) || !body.starts_with(kDepth)) return std::nullopt;
  std::uint64_t depth = 0;
  const char* const end = body.data() + body.size();
  const auto [rest, error] = std::from_chars(body.data() + kDepth.size(), end, depth);
  if (error != std::errc() || rest == end || *rest != '\n') return std::nullopt;
  return depth;
}

std::optional<Oid> skip_of(std::string_view body) {
  if (!skip_parents(body)) return std::nullopt;
  for (const std::string_view key : {"depth ", "gen "}) skip_line(body, key);
  return name_after(body, "skip ");
}

std::optional<Oid> content_of(std::string_view body) {
  if (!skip_parents(body)) return std::nullopt;
  for (const std::string_view key : {"depth ", "gen ", "skip "}) skip_line(body, key);
  return name_after(body, "content ");
}

}  // namespace spoor::store
