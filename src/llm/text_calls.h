#pragma once

#include <string_view>
#include <vector>

#include "compile/turn.h"

namespace spoor::llm {

/// The media type of an attachment that lists the calls in an answer's text, in order. Models
/// without tools write such calls as a command in a fenced block or as `<function=NAME>` tags. They
/// are not in `fields`, because the prompt already contains them as text.
constexpr std::string_view kTextCallsType = "application/vnd.spoor.calls+json";

/// Returns the attachment: `[{"arguments":"{…}","id":"text-1","name":"bash"}]`.
compile::Item write_text_calls(const std::vector<compile::ToolCall>& calls);

/// Returns the calls in the text of `commit`; empty if it has no such attachment, or an erased one.
/// Code::corrupt if the attachment is malformed.
Result<std::vector<compile::ToolCall>> text_calls_of(const store::Reader& reader,
                                                     const store::Commit& commit);

}  // namespace spoor::llm
