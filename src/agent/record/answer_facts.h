#pragma once

#include "agent/record/recorder.h"

namespace spoor::agent::record {

/// A recorded answer, as the planner was given it.
Result<Answer> read_answer(const graph::Repository& repository, const compile::Oid& commit);

/// Books what the facts of an answer say it took.
void book_again(const compile::Facts& facts, llm::CostTracker& tracker);

/// Books what the facts of a failed call say it took: nothing of most, an unknown cost for each
/// sending of one that was lost.
void book_failed_again(const compile::Facts& facts, llm::CostTracker& tracker);

/// Books what the facts of an observation say that its tool took.
void book_tool_again(const compile::Facts& facts, llm::CostTracker& tracker);

/// The turn of an observation: a tool's where the call was native, else a user's, marked, with
/// `[obs:N tool]` before its text. Without run, step, author and time.
compile::Turn observation_turn(const Observed& observed, std::uint64_t number);

/// An observation read back from its turn.
Observed observed_of(const compile::Turn& turn, std::int64_t step, std::int64_t call);

}  // namespace spoor::agent::record
