#pragma once

#include <string>
#include <string_view>

#include "compile/turn.h"
#include "import/taken.h"

namespace spoor::import::pi {

// Pi stores blocks of its own, with the provider's signatures in them. These functions make the
// provider's items again, out of the exact bytes of the block's strings.
//
// Source: github.com/badlogic/pi-mono, packages/ai/src/types.ts and providers/*.ts.

/// Fills a reasoning from a `thinking` block: its text, its format, and in `raw` the item as the
/// provider's API has it: a (redacted) thinking block of `anthropic-messages`, an item of the
/// Responses API, a part of Google's APIs. Of any other API, whose thoughts have no item or none
/// that is known, `raw` is Pi's block. Takes what the turn holds.
void take_thinking(const json::Value& block, std::string_view api, compile::Turn& turn,
                   Taken& taken);

/// Adds a text or a `toolCall` block as a part of Google's APIs to `parts`. Returns true if the
/// block has a signature, which it takes: then all parts of the answer have to be kept.
bool add_google_part(const json::Value& block, std::vector<compile::Item>& parts, Taken& taken);

bool is_google(std::string_view api);

}  // namespace spoor::import::pi
