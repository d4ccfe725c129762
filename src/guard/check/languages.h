#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spoor::guard::check {

/// Returns why the effects of code cannot be known, in words; nullopt if it only reads, and writes
/// its output. `language`: `sed` and `awk` are read as POSIX.1-2017 and their GNU manuals describe
/// them; in `perl` one substitution is understood; other languages are not.
std::optional<std::string> doubt_of(std::string_view language, std::string_view code);

/// Does the same for database statements: finds client statements that start programs or write
/// files.
std::optional<std::string> doubt_of_sql(std::string_view sql);

/// Returns why an SQL text destroys data: DROP and TRUNCATE of lasting objects, DELETE without
/// WHERE. Ignores strings and comments.
std::optional<std::string> sql_destroys(std::string_view sql);

}  // namespace spoor::guard::check
