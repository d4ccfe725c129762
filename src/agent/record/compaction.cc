#include "agent/record/compaction.h"

#include <utility>

#include "agent/decision.h"
#include "agent/record/left_out.h"
#include "agent/record/window.h"
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

bool is_summary(const AnswerContent& content) {
  const bool is_whole =
      content.outcome == llm::Outcome::done || content.outcome == llm::Outcome::truncated;
  return is_whole && content.calls.empty() && !trimmed(content.text).empty();
}

bool makes_room(const compile::Prompt& prompt, const compile::Oid& answer) {
  std::uint64_t replaced = 0;
  for (const compile::Message& message : prompt.messages) {
    for (const compile::Part& part : message.parts) {
      if (part.commit == answer) return message.tokens() <= replaced / 2;
    }
    replaced += is_pinned(message) ? 0 : message.tokens();
  }
  return false;
}

Result<compile::Oid> replace_by_summary(const compile::Prompt& shown, graph::Draft& draft,
                                        const std::string& ref, const compile::Oid& answer,
                                        const AnswerContent& content, const compile::Facts& facts) {
  std::vector<compile::Oid> replaced;
  for (const compile::Message& message : shown.messages) {
    for (const compile::Part& part : message.parts) {
      if (part.priority != store::Priority::pinned) replaced.push_back(part.commit);
    }
  }
  compile::Turn summary{.type = compile::Type::summary};
  summary.text = "Summary of the work so far:\n\n" + content.text;
  if (content.outcome == llm::Outcome::truncated) summary.text += "\n\n[cut off here]";
  summary.facts = facts;
  const graph::CompressRange all{.from = {}, .to = answer, .only = {}};
  const compile::Oid made = TRY(draft.compress(ref, all, summary, {})).commit;
  auto decision = curation_of("curator-compressed", replaced, {});
  if (!decision) return made;
  compile::Turn turn = turn_of(*decision);
  for (const auto& [key, json] : facts.values()) turn.facts.set_json(key, json);
  turn.facts.set(fact::with, "answer");
  return draft.append(ref, turn);
}

}  // namespace spoor::agent::record
