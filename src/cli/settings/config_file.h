#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/error.h"

namespace spoor::cli {

/// The settings of a file, by `section.key`.
using ConfigValues = std::map<std::string, std::string, std::less<>>;

/// A file of settings: TOML, of which a setting is a string, an integer, true or false. The name of
/// a setting is the same in `[section]`, as a dotted key, in an inline table and in quotes.
struct ConfigFile {
  ConfigValues values;
  /// Code::invalid with `file:line`, by setting: values of another type, and settings that occur
  /// twice.
  std::map<std::string, Error, std::less<>> wrong;
  std::optional<Error> broken;  ///< Code::invalid with `file:line:column` if this is not TOML
};

ConfigFile read_config(std::string_view text, std::string_view file_name);

/// Returns the values alone, or the first error.
Result<ConfigValues> parse_config(std::string_view text, std::string_view file_name);

/// Returns `text` with one setting set, or removed if there is no `value`. Only the value is
/// replaced, or a line is added or removed; every other byte stays. The result has been read again:
/// Code::invalid if another setting would change, if `text` is not TOML, or `value` is not UTF-8.
Result<std::string> edited_config(std::string_view text, std::string_view file_name,
                                  std::string_view key, const std::optional<std::string>& value);

}  // namespace spoor::cli
