#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::cli {

/// Adds an entry to the list of each event in `hooks` of a JSON file of settings, and leaves every
/// other byte as it is. Lists that are not there are made. Code::invalid if the text is not a JSON
/// object, or has something else in their places.
Result<std::string> with_hooks(std::string text, std::span<const std::string_view> events,
                               const std::string& entry);

/// Takes those entries out again, whatever blanks they have now, and the lists and `hooks` if
/// nothing else is in them. The text is unchanged if there are none, or if it cannot be read.
std::string without_hooks(std::string text, std::span<const std::string_view> events,
                          const std::string& entry);

/// Adds a member to the object `object` of a JSON file of settings, in the same manner; the object
/// is made if it is not there. `value` is JSON. Code::conflict if there is such a member.
Result<std::string> with_member(std::string text, std::string_view object, std::string_view key,
                                const std::string& value);

/// Takes the member out again, and the object if nothing else is in it, unless it has another
/// value.
std::string without_member(std::string text, std::string_view object, std::string_view key,
                           const std::string& value);

/// Adds a table, a whole one with its name, at the end of a TOML file. Code::invalid if the text is
/// not TOML, or cannot have the table.
Result<std::string> with_table(std::string text, const std::string& table);

/// Takes these lines out again.
std::string without_table(std::string text, const std::string& table);

}  // namespace spoor::cli
