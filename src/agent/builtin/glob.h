#pragma once

#include <string_view>

namespace spoor::agent::builtin {

/// Reports whether `name` matches `pattern`: `*` matches any bytes, `?` one byte, everything else
/// itself. Takes at most the product of their lengths.
bool matches_glob(std::string_view pattern, std::string_view name);

/// Matches several patterns separated by commas: a pattern with a slash against the whole `path`,
/// one without against `name`.
bool matches_globs(std::string_view patterns, std::string_view path, std::string_view name);

/// Matches a relative path as a shell does: `*` and `?` match within a name, `**` as a whole name
/// matches any number of folders, also none. A pattern without a slash matches the last name. Takes
/// at most the product of their lengths.
bool matches_path(std::string_view pattern, std::string_view path);

}  // namespace spoor::agent::builtin
