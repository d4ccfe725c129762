#pragma once

#include <string>
#include <string_view>

namespace spoor::llm {

/// Returns `item`, an item of a user turn, in the form that Anthropic's Messages API accepts, if it
/// is a `document` block with its content or a URL. Otherwise empty: the turn itself contains
/// pictures and texts, and only its owner can read an uploaded file.
std::string document_item(std::string_view item);

}  // namespace spoor::llm
