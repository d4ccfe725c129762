#pragma once

#include <string_view>

namespace spoor::agent::builtin {

/// Does `name` match `pattern`: `*` for any bytes, `?` for one, everything else for itself? Takes
/// at most the product of their lengths.
bool matches_glob(std::string_view pattern, std::string_view name);

/// Several patterns with commas between them; one with a slash is held against the whole `path`,
/// one without against the name alone.
bool matches_globs(std::string_view patterns, std::string_view path, std::string_view name);

}  // namespace spoor::agent::builtin
