#pragma once

#include <string_view>
#include <vector>

#include "compile/turn.h"

namespace spoor::llm {

/// Calls that an answer makes in its text, because the model was given no tools: a command in a
/// fenced block, `<function=NAME>` tags. They are not part of the prompt, where the text says them;
/// so they are not in `fields`. An attachment of this media type lists them in their order.
constexpr std::string_view kTextCallsType = "application/vnd.spoor.calls+json";

/// The attachment: `[{"arguments":"{…}","id":"text-1","name":"bash"}]`.
compile::Item write_text_calls(const std::vector<compile::ToolCall>& calls);

/// The calls that the text of `commit` makes; none where it has no such attachment, or an erased
/// one. Code::corrupt when the attachment is malformed.
Result<std::vector<compile::ToolCall>> text_calls_of(const store::Reader& reader,
                                                     const store::Commit& commit);

}  // namespace spoor::llm
