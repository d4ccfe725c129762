#pragma once

#include <string_view>

#include "agent/record/recorder.h"
#include "graph/draft.h"

namespace spoor::agent::record {

/// The mark of the turn that asks for a summary.
constexpr std::string_view kCompact = "compact";

/// The words of that turn.
std::string_view summary_question();

/// Returns whether an answer may replace the turns before it: it has a text, and neither calls a
/// tool nor declines.
bool is_summary(const AnswerContent& content);

/// Returns whether an answer at the end of a prompt is at most half as long as the turns before it
/// that it would replace.
bool makes_room(const compile::Prompt& prompt, const compile::Oid& answer);

/// How often a summary is asked for, if the model calls a tool instead of writing it.
constexpr std::size_t kMostSummaries = 2;

/// Replaces all turns of `ref` from its beginning to the answer, but the pinned ones, by the
/// answer's text: a `compress` with `facts`. Then a decision names them, in the answer's company.
/// `shown` is the prompt of `ref`, whole.
/// Returns its commit. Errors as for Draft::compress().
Result<compile::Oid> replace_by_summary(const compile::Prompt& shown, graph::Draft& draft,
                                        const std::string& ref, const compile::Oid& answer,
                                        const AnswerContent& content, const compile::Facts& facts);

}  // namespace spoor::agent::record
