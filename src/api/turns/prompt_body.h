#pragma once

#include <string>
#include <string_view>

#include "compile/prompt.h"
#include "store/reader.h"

namespace spoor::api {

/// Returns a prompt in a provider's shape: `openai` (the array `messages`) or `anthropic` (an
/// object with `system` and `messages`), as JSON, or `text` for people. Reads pictures from
/// `reader`. Returns Code::invalid for another shape.
Result<std::string> prompt_body(const compile::Prompt& prompt, const store::Reader& reader,
                                std::string_view shape);

}  // namespace spoor::api
