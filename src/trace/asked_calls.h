#pragma once

#include <string_view>
#include <vector>

#include "compile/facts_view.h"
#include "compile/turn.h"
#include "trace/step.h"

namespace spoor::trace {

/// Returns the calls that an answer asks for, in order, without numbers and reasons: its native
/// ones; else those read out of its text, if its meta names one (`action`) or calls it a plan.
std::vector<AskedCall> calls_of(const compile::FactsView& facts, const compile::Fields& fields,
                                std::string_view text);

}  // namespace spoor::trace
