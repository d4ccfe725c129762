#pragma once

#include <string>

#include "compile/prompt.h"
#include "llm/wire/pictures.h"

namespace spoor::llm::wire {

/// `{"messages": […], "system": "…"}` of an Anthropic Messages request, as JSON
/// text. Source: docs.anthropic.com/en/api/messages (2026-11).
///
/// System texts are joined by a blank line, and where there is none `system` is left
/// out; consecutive messages of one role are merged; tool results are `user` blocks;
/// `content` is a plain string when it is a single text. `input` of a call is the
/// provider's own text where that is a JSON object. Pictures and documents of a user stand before
/// the text they came with, those of a result behind it; no other message has a place for one.
std::string anthropic_body(const compile::Prompt& prompt, const Pictures& pictures = {});

}  // namespace spoor::llm::wire
