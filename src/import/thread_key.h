#pragma once

#include "compile/turn.h"
#include "import/names.h"

namespace spoor::import {

/// What a turn says, without when and where it was said: its type, text, pictures and calls, and
/// whose result it is. Two captures of one conversation have equal keys along their common front.
/// Derived: it is never stored, and never part of a name.
RecordKey thread_key(const compile::Turn& turn, bool is_compress);

}  // namespace spoor::import
