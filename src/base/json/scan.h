#pragma once

#include <cstddef>
#include <string_view>

namespace spoor::json {

/// Where the next `"` or `\` stands at or after `from`; text.size() when there
/// is none. What ends or interrupts a lenient JSON string.
std::size_t find_quote_or_escape(std::string_view text, std::size_t from);

}  // namespace spoor::json
