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

}  // namespace spoor::cli
