#pragma once

#include <string>
#include <string_view>

namespace spoor::llm::wire {

/// Appends `text` as a JSON string with its quotes, for a provider: bytes that
/// are not UTF-8 become U+FFFD, a lone surrogate its escape.
void append_json_string(std::string& out, std::string_view text);

}  // namespace spoor::llm::wire
