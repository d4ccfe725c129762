#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/effects.h"

namespace spoor::guard::check {

/// A path relative to the folder that an agent works in (its root). The disk is not read: symbolic
/// links are not followed.
struct Location {
  enum class Kind {
    inside,   ///< `path` is relative to the root; `.` is the root itself
    outside,  ///< it leads out of the root; `path` is normalized
    open,     ///< not known: it is absolute and the root is not known, or it has variables
  };
  Kind kind = Kind::open;
  std::string path;

  bool operator==(const Location&) const = default;
};

/// Resolves `path` from `folder` (relative to the root; empty: the root) with the absolute path
/// `root` (empty: not known). `.`, `..` and doubled slashes are removed; `~` is outside.
Location locate(std::string_view path, std::string_view folder, std::string_view root);

/// Returns true if `path`, without `..`, is where programs write temporary data: `2>/dev/null`,
/// `mktemp`.
bool keeps_nothing(std::string_view path);

/// Returns true if a file that is run is in the working folder, as far as that is known. Files
/// elsewhere have not been examined.
bool is_of_project(const RunFile& file, std::string_view root);

/// Returns why a file outside the project must not be run, in words.
std::string why_unread(const RunFile& file);

/// Returns true if `pattern` matches `path` or a folder above it. `*` matches within a name, `?`
/// one byte, `**` any number of names; a slash at the end is ignored. Matching starts at the root
/// unless the pattern begins with `**/`.
bool matches_path(std::string_view pattern, std::string_view path);

/// Does the same ignoring ASCII case; a pattern of a single name matches at any depth.
bool matches_anywhere(std::string_view pattern, std::string_view path);

/// Whether a path in which a shell expands `*`, `?`, `[…]` and `{…}` may match.
enum class Likely {
  no,     ///< only a file named by both patterns together would match: `*.ts`, `jenkinsfile.*`
  maybe,  ///< if such a file exists: `*.yml`, `azure-pipelines.yml`
  yes     ///< it has the beginning or the end of the pattern: `.git*`, `*.tf`
};
Likely likely_anywhere(std::string_view pattern, std::string_view path);

/// Returns true if something below `path` (`.`: the root) may match. A pattern that matches at any
/// depth counts only below the root: otherwise only empty folders would be safe. `is_pattern`: a
/// shell expands the path.
bool may_match_beneath(std::string_view pattern, std::string_view path, bool is_pattern);

/// Returns the patterns of `@ci` or `@infra`: where such files are. A pattern without `@` expands
/// to itself, an unknown group to nothing.
std::vector<std::string> expand_group(std::string_view pattern);

/// Returns all names of groups, with their `@`.
std::vector<std::string_view> groups();

}  // namespace spoor::guard::check
