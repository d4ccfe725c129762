#pragma once

#include "import/turn_record.h"

namespace spoor::import {

/// Is this a call or a result that stands among messages as an object of its own, with a `type` and
/// the name of its tool, as logs of programs have it?
bool is_lone_turn(const json::Value& value);

/// Makes the turn of one. A call that has no id gets none here.
void add_lone_turn(const json::Value& value, TurnRecord& made);

}  // namespace spoor::import
