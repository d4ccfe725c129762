#pragma once

#include "import/turn_record.h"

namespace spoor::import::formats {

/// Is this an event of OpenHands' agent SDK (OpenHands V1): one that names its `kind`?
bool is_sdk_event(const json::Value& event);

/// What a command ended with, as an observation or what it says of itself (`metadata`) tells it, is
/// taken as a fact of its result. -1 stands for a command that goes on, or of which nothing is
/// known.
void take_openhands_exit_code(const json::Value& holder, compile::Turn& result, Taken& taken);

/// Makes the turns of such an event; none of one that says nothing to the model or of it. Calls
/// that were made together are one message (`llm_response_id`). Source:
/// github.com/OpenHands/software-agent-sdk, openhands/sdk/event.
void add_sdk_turns(const json::Value& event, TurnRecord& made);

}  // namespace spoor::import::formats
