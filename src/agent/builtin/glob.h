#pragma once

#include <string_view>

namespace spoor::agent::builtin {

/// Reports whether `name` matches `pattern`: `*` matches any bytes, `?` one byte, everything else
/// itself. Takes at most the product of their lengths.
bool matches_glob(std::string_view pattern, std::string_view name);

/// Matches several patterns separated by commas: a pattern with a slash against the whole `path`,
/// one without against `name`.
bool matches_globs(std::string_view patterns, std::string_view path, std::string_view name);

}  // namespace spoor::agent::builtin
