#pragma once

#include <string>
#include <string_view>

namespace spoor::llm {

/// Returns `item`, an item of a user turn, as Anthropic's Messages API takes it back if it is a
/// `document` block with its content or a URL. Empty if it is not: pictures and texts are in the
/// turn, and a file that was uploaded is known to its owner only.
std::string document_item(std::string_view item);

}  // namespace spoor::llm
