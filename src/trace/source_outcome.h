#pragma once

#include <string_view>

#include "compile/facts_view.h"

namespace spoor::trace {

/// Returns true if the call of a result was refused, by a rule, a check or a person, before it was
/// made. `text` is the result's: agents that spoor did not run tell it in the text alone.
/// `is_error` tells if the source marks the result as an error.
bool was_refused(const compile::FactsView& facts, bool is_error, std::string_view text);

/// Returns true if the text of a result tells that the call failed, where the source marks nothing.
bool says_error(const compile::FactsView& facts, std::string_view text);

}  // namespace spoor::trace
