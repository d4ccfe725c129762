#pragma once

#include "import/turn_record.h"

namespace spoor::import {

/// What an item of OpenAI's Responses API is.
struct ItemKind {
  enum class Side {
    unknown,  ///< no item that is known
    given,    ///< said to the model: by the user, the developer, another agent
    made,     ///< by the model: text, reasoning, a call
    result,   ///< of a call
  };
  Side side = Side::unknown;
  bool is_user = false;  ///< given, with the role `user`
};

ItemKind kind_of_item(const json::Value& item);

/// Makes the turn of an item whose kind is known. What the model made keeps the exact bytes of its
/// item in `raw`; what was given to it does where it has more than one part. Both encodings of
/// calls are read (`function_call`, `custom_tool_call`, `local_shell_call`, …), and hosted ones
/// too, which have no result of their own.
///
/// Source: platform.openai.com/docs/api-reference/responses; the items of Codex' rollouts
/// (github.com/openai/codex, codex-rs/protocol/src/models.rs, `ResponseItem`).
void add_item_turn(const json::Value& item, TurnRecord& made);

}  // namespace spoor::import
