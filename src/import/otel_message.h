#pragma once

#include <string_view>

#include "import/turn_record.h"

namespace spoor::import {

/// Makes the turns of a message as spans hold it: with `parts` (OpenTelemetry), wrapped in
/// `message` (OpenInference), with parts called `tool-call` (the AI SDK), or as a chat API has it.
/// `role` counts where the message names none.
///
/// Sources: llm/otel/dialect.h.
void add_otel_message(const json::Value& message, std::string_view role, TurnRecord& made);

/// Adds a call as spans hold it to an answer: with `name` and `arguments`, `function`, `toolName`
/// and `input`, or `tool.name` and `tool.args`. Returns false if it is not one.
bool add_otel_call(const json::Value& call, compile::Turn& answer, Taken& taken);

}  // namespace spoor::import
