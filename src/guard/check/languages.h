#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spoor::guard::check {

/// Why nobody can tell what code does, in words; nothing: it only reads, and writes its output.
/// `language`: `sed` and `awk` are read as POSIX.1-2017 and their GNU manuals describe them; of
/// `perl` one substitution is understood; any other language is not.
std::optional<std::string> doubt_of(std::string_view language, std::string_view code);

/// Likewise of statements for a database: those of a client that start programs or write files.
std::optional<std::string> doubt_of_sql(std::string_view sql);

/// Why a text of SQL destroys: DROP and TRUNCATE of what is lasting, DELETE without WHERE. Strings
/// and comments in it are passed over.
std::optional<std::string> sql_destroys(std::string_view sql);

}  // namespace spoor::guard::check
