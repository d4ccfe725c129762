#pragma once

#include <string_view>
#include <vector>

#include "compile/facts_view.h"
#include "compile/turn.h"
#include "trace/step.h"

namespace spoor::trace {

/// Returns the calls that an answer asks for, in order, without numbers and reasons: its native
/// calls; else, if its meta names a call (`action`) or marks it as a plan, the calls in its text.
std::vector<AskedCall> calls_of(const compile::FactsView& facts, const compile::Fields& fields,
                                std::string_view text);

}  // namespace spoor::trace
