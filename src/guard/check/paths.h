#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/effects.h"

namespace spoor::guard::check {

/// Where a path leads, seen from the folder that an agent works in (its root). Nothing is looked up
/// on a disk: a symbolic link is not followed.
struct Location {
  enum class Kind {
    inside,   ///< `path` is relative to the root; `.` is the root itself
    outside,  ///< it leads out of the root; `path` is as it was, made shorter
    open,     ///< nobody can tell: it is absolute and the root is not known, or has variables
  };
  Kind kind = Kind::open;
  std::string path;

  bool operator==(const Location&) const = default;
};

/// `path`, from `folder` (a path itself, from the root; empty: the root), where the root is the
/// absolute `root` (empty: not known). `.`, `..` and doubled slashes are undone; `~` is outside.
Location locate(std::string_view path, std::string_view folder, std::string_view root);

/// Does `path`, without `..`, lie where programs write that keep nothing: `2>/dev/null`, `mktemp`?
bool keeps_nothing(std::string_view path);

/// Does a file that is run lie in the folder that is worked in, as far as that can be told? One
/// that lies elsewhere nobody has looked at.
bool is_of_project(const RunFile& file, std::string_view root);

/// Why a file that does not is nothing to run, in words.
std::string why_unread(const RunFile& file);

/// Does `pattern` match `path`, or a folder above it? `*` matches within a name, `?` one byte, `**`
/// any number of names; a slash at the end means nothing. From the root on, unless it begins with
/// `**/`.
bool matches_path(std::string_view pattern, std::string_view path);

/// The same, in any case (ASCII), and a pattern of a single name matches it at any depth.
bool matches_anywhere(std::string_view pattern, std::string_view path);

/// Of a path in which a shell expands `*`, `?`, `[…]` and `{…}`: may it become one that matches?
enum class Likely {
  no,     ///< only a file that both patterns make up together would be one: `*.ts`, `jenkinsfile.*`
  maybe,  ///< if there is such a file: `*.yml`, `azure-pipelines.yml`
  yes     ///< it begins as the pattern does, or has its end: `.git*`, `*.tf`
};
Likely likely_anywhere(std::string_view pattern, std::string_view path);

/// May something beneath `path` (`.`: the root) match? A pattern that matches at any depth counts
/// beneath the root alone: else each folder would have to be empty to be safe. `is_pattern`: a
/// shell expands the path.
bool may_match_beneath(std::string_view pattern, std::string_view path, bool is_pattern);

/// What `@ci` and `@infra` stand for: where the files of such things lie. A pattern without `@`
/// stands for itself, an unknown group for nothing.
std::vector<std::string> expand_group(std::string_view pattern);

/// All names of groups, with their `@`.
std::vector<std::string_view> groups();

}  // namespace spoor::guard::check
