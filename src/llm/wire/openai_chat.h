#pragma once

#include <string>

#include "compile/prompt.h"
#include "llm/wire/pictures.h"

namespace spoor::llm::wire {

/// The `messages` array of an OpenAI chat completions request, as JSON text.
/// Source: platform.openai.com/docs/api-reference/chat (2026-11).
///
/// Each message becomes `{role, content, tool_calls?, tool_call_id?}`; `arguments`
/// is the provider's own text, as a JSON string, never written anew. Lifted
/// reasoning stands as an assistant message of its own. Text that is not UTF-8
/// is sent with U+FFFD in place of what is malformed. Pictures stand behind the text of a
/// user's message; no other has a place for them.
std::string openai_chat_messages(const compile::Prompt& prompt, const Pictures& pictures = {});

}  // namespace spoor::llm::wire
