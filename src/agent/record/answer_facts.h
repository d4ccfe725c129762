#pragma once

#include "agent/record/recorder.h"

namespace spoor::agent::record {

/// Reads a recorded answer as the planner received it.
Result<Answer> read_answer(const graph::Repository& repository, const compile::Oid& commit);

/// Books the cost recorded in the facts of an answer.
void book_again(const compile::Facts& facts, llm::CostTracker& tracker);

/// Books the cost recorded in the facts of a failed call: none for most, an unknown cost for each
/// attempt whose reply was lost.
void book_failed_again(const compile::Facts& facts, llm::CostTracker& tracker);

/// Books the cost of the tool recorded in the facts of an observation.
void book_tool_again(const compile::Facts& facts, llm::CostTracker& tracker);

/// Books the cost of what a run paid for in vain: answers that were cut off, and failed calls.
Result<void> book_paid_again(const graph::Repository& repository, const Recording& recording,
                             llm::CostTracker& tracker);

/// Books the cost of all that a run has recorded.
Result<void> book_all_again(const graph::Repository& repository, const Recording& recording,
                            llm::CostTracker& tracker);

/// Returns the turn of an observation: a tool's if the call was native, else a marked user turn
/// with `[obs:N tool]` before its text. Without run, step, author and time.
compile::Turn observation_turn(const Observed& observed, std::uint64_t number);

/// Reads an observation back from its turn.
Observed observed_of(const compile::Turn& turn, std::int64_t step, std::int64_t call);

}  // namespace spoor::agent::record
