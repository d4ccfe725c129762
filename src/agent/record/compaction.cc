#include "agent/record/compaction.h"

#include <utility>

#include "base/text.h"

namespace spoor::agent::record {

std::string_view summary_question() {
  return "There is little room left for this conversation. Summarise it now, for yourself: from "
         "here on you see the instructions, the goal and your summary, and nothing else.\n"
         "State, in this order: what was found (names of files, commands, numbers, exact error "
         "messages); what was changed, and how; what was tried in vain; decisions and their "
         "reasons; what is not done yet, and the next step. Be exact and complete, in at most "
         "1,000 words. Write only the summary as plain text, and call no tool.";
}

bool is_summary(const Said& said) {
  const bool is_whole =
      said.outcome == llm::Outcome::done || said.outcome == llm::Outcome::truncated;
  return is_whole && said.calls.empty() && !trimmed(said.text).empty();
}

Result<compile::Oid> replace_by_summary(graph::Draft& draft, const std::string& ref,
                                        const compile::Oid& answer, const Said& said,
                                        compile::Facts facts) {
  compile::Turn summary{.type = compile::Type::summary};
  summary.text = "Summary of the work so far:\n\n" + said.text;
  summary.facts = std::move(facts);
  const graph::CompressRange all{.from = {}, .to = answer, .only = {}};
  return TRY(draft.compress(ref, all, summary, {})).commit;
}

}  // namespace spoor::agent::record
