#pragma once

#include <string_view>

#include "compile/facts_view.h"

namespace spoor::trace {

/// Was the call of this result refused, by a rule, a check or a person, before it was made?
/// `text` is the result's, for sessions whose agent says so in the text.
bool was_refused(const compile::FactsView& facts, bool is_error, std::string_view text);

/// Does the text of this result say that the call failed, though nothing else does? OpenHands'
/// editor begins what it refuses with `ERROR:`.
bool says_error(const compile::FactsView& facts, std::string_view text);

}  // namespace spoor::trace
