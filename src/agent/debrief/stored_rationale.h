#pragma once

#include <optional>

#include "agent/rationale.h"
#include "compile/json/reader.h"

namespace spoor::agent::debrief {

/// The rationale that a record holds, read as leniently as one of a model: what breaks a rule is
/// cut or dropped. Nothing where there is no reason.
std::optional<Rationale> read_rationale(const compile::json::Value& value);

/// A list of `{option, rejectedBecause}`; what is neither is passed over.
std::vector<Alternative> read_alternatives(const compile::json::Value& value);

}  // namespace spoor::agent::debrief
