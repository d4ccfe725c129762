#pragma once

#include "import/turn_record.h"

namespace spoor::import {

/// The kind of an item of the OpenAI Responses API.
struct ItemKind {
  enum class Side {
    unknown,  ///< not a known item
    given,    ///< input to the model: from the user, the developer, another agent
    made,     ///< output of the model: text, reasoning, a call
    result,   ///< the result of a call
  };
  Side side = Side::unknown;
  bool is_user = false;  ///< given, with the role `user`
};

ItemKind kind_of_item(const json::Value& item);

/// Makes the turn of an item of a known kind. The model's items keep their exact bytes in `raw`;
/// input does too if it has more than one part. All encodings of calls are read (`function_call`,
/// `custom_tool_call`, `local_shell_call`, …), also hosted calls, which have no separate result.
///
/// Source: platform.openai.com/docs/api-reference/responses; the items of Codex rollouts
/// (github.com/openai/codex, codex-rs/protocol/src/models.rs, `ResponseItem`).
void add_item_turn(const json::Value& item, TurnRecord& made);

}  // namespace spoor::import
