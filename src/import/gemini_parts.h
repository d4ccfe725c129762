#pragma once

#include "import/turn_record.h"

namespace spoor::import {

/// Makes the turns of a content as Gemini's API has it, a string or parts: texts and calls in a row
/// are one turn of `type`, a thought is a reasoning, a `functionResponse` a tool turn. Of a content
/// in which there is nothing one empty turn is made, if there is none yet. In a content of `type`
/// tool, texts and pictures behind a response belong to it.
///
/// Source: ai.google.dev/api/caching#Content.
void add_gemini_content(const json::Value& content, compile::Type type, TurnRecord& made);

/// Adds a `functionCall` (`id`, `name`, `args`) to a turn.
void add_gemini_call(compile::Turn& turn, const json::Value& call, Taken& taken);

/// What a function gave: `{"output": …}` or `{"error": …}` as text, anything else as its bytes.
void take_gemini_response(const json::Value& response, compile::Turn& turn, Taken& taken);

/// Adds the lines that Gemini CLI, or what is built on it, counted of an edit, to its result: what
/// the model wrote, and what the user changed of that. `call` is what the program noted of the call
/// (`resultDisplay`).
void count_gemini_lines(const json::Value& call, compile::Turn& result);

}  // namespace spoor::import
