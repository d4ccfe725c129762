#pragma once

#include <string>

#include "compile/prompt.h"
#include "llm/wire/pictures.h"

namespace spoor::llm::wire {

/// Returns the `messages` array of an OpenAI chat completions request, as JSON text. Source:
/// platform.openai.com/docs/api-reference/chat (2026-11).
///
/// Each message becomes `{role, content, tool_calls?, tool_call_id?}`; `arguments` is the
/// provider's own text as a JSON string, never rewritten. Lifted reasoning becomes an assistant
/// message of its own. Malformed UTF-8 is sent as U+FFFD. Pictures follow the text of a user
/// message; no other message can contain them.
std::string openai_chat_messages(const compile::Prompt& prompt, const Pictures& pictures = {});

}  // namespace spoor::llm::wire
