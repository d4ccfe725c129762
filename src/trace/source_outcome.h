#pragma once

#include <string_view>

#include "compile/facts_view.h"

namespace spoor::trace {

/// Returns true if the call of a result was refused, by a rule, a check or a person, before it was
/// made. `text` is the result's text, the only sign in sessions of agents that spoor did not run.
/// `is_error` is true if the source marks the result as an error.
bool was_refused(const compile::FactsView& facts, bool is_error, std::string_view text);

/// Returns true if the text of a result shows that the call failed, for sources that do not mark
/// errors.
bool says_error(const compile::FactsView& facts, std::string_view text);

}  // namespace spoor::trace
