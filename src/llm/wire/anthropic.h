#pragma once

#include <string>

#include "compile/prompt.h"
#include "llm/wire/pictures.h"

namespace spoor::llm::wire {

/// Returns `{"messages": […], "system": "…"}` of an Anthropic Messages request, as JSON text.
/// Source: docs.anthropic.com/en/api/messages (2026-11).
///
/// System texts are joined by a blank line; without any, `system` is left out. Consecutive messages
/// of one role are merged; tool results are `user` blocks; `content` is a plain string if it is a
/// single text. `input` of a call is the provider's own text if that is a JSON object. A user's
/// pictures and documents precede their text, those of a result follow it; no other message can
/// contain them.
std::string anthropic_body(const compile::Prompt& prompt, const Pictures& pictures = {});

}  // namespace spoor::llm::wire
