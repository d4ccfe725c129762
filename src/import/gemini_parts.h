#pragma once

#include "import/turn_record.h"

namespace spoor::import {

/// Makes the turns of a content of the Gemini API, a string or parts. Consecutive texts and calls
/// are one turn of `type`, a thought is a reasoning, a `functionResponse` is a tool turn. Empty
/// content makes one empty turn if `made` has none yet. In a content of `type` tool, texts and
/// pictures after a response belong to that response.
///
/// Source: ai.google.dev/api/caching#Content.
void add_gemini_content(const json::Value& content, compile::Type type, TurnRecord& made);

/// Adds a `functionCall` (`id`, `name`, `args`) to a turn.
void add_gemini_call(compile::Turn& turn, const json::Value& call, Taken& taken);

/// Appends a function's result to `turn`: the text of `{"output": …}` or `{"error": …}`, else the
/// bytes.
void take_gemini_response(const json::Value& response, compile::Turn& turn, Taken& taken);

/// Adds the line counts of an edit by Gemini CLI, or a program built on it, to `result`: the sum of
/// the model's lines and the user's changes. `call` is the program's record of the call
/// (`resultDisplay`).
void count_gemini_lines(const json::Value& call, compile::Turn& result);

}  // namespace spoor::import
