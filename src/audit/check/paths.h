#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spoor::audit::check {

/// Where a path leads, seen from the folder that an agent works in (its root). Nothing is looked up
/// on a disk: a symbolic link is not followed.
struct Place {
  enum class Kind {
    inside,   ///< `path` is relative to the root; `.` is the root itself
    outside,  ///< it leads out of the root; `path` is as it was, made shorter
    open,     ///< nobody can tell: it is absolute and the root is not known, or has variables
  };
  Kind kind = Kind::open;
  std::string path;

  bool operator==(const Place&) const = default;
};

/// `path`, from `folder` (a path itself, from the root; empty: the root), where the root is the
/// absolute `root` (empty: not known). `.`, `..` and doubled slashes are undone; `~` is outside.
Place place_of(std::string_view path, std::string_view folder, std::string_view root);

/// Does `pattern` match `path`, or a folder above it? `*` matches within a name, `?` one byte, `**`
/// any number of names; a slash at the end means nothing. From the root on, unless it begins with
/// `**/`.
bool matches_path(std::string_view pattern, std::string_view path);

/// The same, in any case (ASCII), and a pattern of a single name matches it at any depth.
bool matches_anywhere(std::string_view pattern, std::string_view path);

/// The same, of a path in which a shell expands `*`, `?` and `[…]`: may it become one that matches?
bool may_match_anywhere(std::string_view pattern, std::string_view path);

/// May something beneath `path` (`.`: the root) match? A pattern that matches at any depth counts
/// beneath the root alone: else each folder would have to be empty to be safe.
bool may_match_beneath(std::string_view pattern, std::string_view path);

/// What `@ci` and `@infra` stand for: where the files of such things lie. A pattern without `@`
/// stands for itself, an unknown group for nothing.
std::vector<std::string> expand_group(std::string_view pattern);

/// All names of groups, with their `@`.
std::vector<std::string_view> groups();

}  // namespace spoor::audit::check
