#pragma once

#include <cstddef>
#include <string_view>

namespace spoor::json {

/// Returns the position of the next `"` or `\` at or after `from`; text.size() if there is none.
/// These characters end or interrupt a lenient JSON string.
std::size_t find_quote_or_escape(std::string_view text, std::size_t from);

}  // namespace spoor::json
