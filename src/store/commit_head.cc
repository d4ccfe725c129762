#include "store/commit_head.h"

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

std::optional<Oid> content_of(std::string_view body) {
  if (!skip_to_parent(body)) return std::nullopt;
  while (skip_line(body, "parent ")) {
  }
  for (const std::string_view key : {"depth ", "gen ", "skip "}) skip_line(body, key);
  return name_after(body, "content ");
}

}  // namespace spoor::store
