#pragma once

#include <optional>
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

/// The attachment of `commit` that lists them; nullopt if it has none.
std::optional<store::Oid> text_calls_in(const store::Commit& commit);

/// Reads the bytes of the attachment back; none where it was erased. Code::corrupt if they are
/// malformed.
store::Result<std::vector<compile::ToolCall>> read_text_calls(std::string_view bytes);

/// The calls that the text of `commit` makes; none where it has no such attachment. Errors
/// as read_text_calls().
store::Result<std::vector<compile::ToolCall>> text_calls_of(const store::Reader& reader,
                                                            const store::Commit& commit);

}  // namespace spoor::llm
