#pragma once

#include "compile/turn.h"
#include "import/taken.h"

namespace spoor::import {

// Agents store a thought and its signature in members of their own. These functions make the block
// of Anthropic's API again, out of the exact bytes of the strings, as the raw item of a reasoning;
// so the thought can go back to the provider. They take the signature.
//
// Source: docs.anthropic.com/en/api/messages (`thinking`, `redacted_thinking`).

/// Sets the raw item of `turn` to `{"type":"thinking", …}`. `text` is the thought, a string.
void set_thinking_item(const json::Value& text, const json::Value& signature, compile::Turn& turn,
                       Taken& taken);

/// Sets the raw item of `turn` to `{"type":"redacted_thinking","data": …}`.
void set_redacted_item(const json::Value& data, compile::Turn& turn, Taken& taken);

}  // namespace spoor::import
