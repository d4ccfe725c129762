#pragma once

#include <string>
#include <string_view>

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

/// Takes the type of a block that has a text, where it says no more than that.
void take_text_type(const json::Value& block, Taken& taken);

/// The text of an item's or a message's content: a string, or parts with a `text`, joined bare;
/// the bytes of anything else. Pictures that stand in it as base64 are attached to `turn`. Takes
/// what it reads.
std::string take_content(const json::Value& content, compile::Turn& turn, Taken& taken);

/// The same of what a tool gave: parts none of which is a text or a picture are their bytes, too.
std::string take_result(const json::Value& content, compile::Turn& turn, Taken& taken);

/// The text of a part that has one; missing otherwise.
json::Value text_of(const json::Value& part);

}  // namespace spoor::import
