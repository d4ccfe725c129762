#pragma once

#include <string_view>

#include "compile/facts_view.h"
#include "llm/usage.h"
#include "trace/step.h"

namespace spoor::trace {

/// Returns how far the tokens that `facts` state can be believed. Claude Code writes the counts of
/// the beginning of a stream on records without a finish reason: these are partial.
Trust trust_of_usage(const compile::FactsView& facts, const llm::Usage& usage);

/// Was the call of this result refused, by a rule, a check or a person, before it was made?
/// `text` is the result's, for sessions whose agent says so in the text.
bool was_refused(const compile::FactsView& facts, bool is_error, std::string_view text);

}  // namespace spoor::trace
