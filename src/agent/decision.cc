#include "agent/decision.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/rationales.h"
#include "base/json/reader.h"

namespace spoor::agent {

Result<void> check_decision(const Decision& decision) {
  const std::string& word = decision.word;
  const bool is_word = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-';
  });
  if (!is_word) {
    return invalid(fmt::format("'{}' is not a word for a decision", word),
                   "use lower-case letters and '-'; docs/agents.md lists those in use");
  }
  if (!decision.rationale) return {};
  const std::string text = write_rationale(*decision.rationale);
  const auto document = json::parse(text);
  if (!document) return document.error();
  const auto checked = parse_rationale(document->root());
  return checked ? Result<void>() : checked.error();
}

compile::Turn turn_of(const Decision& decision) {
  compile::Turn turn{.type = compile::Type::decision, .text = decision.text};
  if (decision.call) turn.fields.tool_calls = {*decision.call};
  // The reason of a call is by its number, as in an answer.
  if (decision.rationale) {
    turn.fields.rationale = decision.call ? write_rationales({{1, *decision.rationale}})
                                          : write_rationale(*decision.rationale);
  }
  turn.facts = decision.facts;
  turn.facts.set(fact::decision, decision.word);
  turn.about = decision.about;
  return turn;
}

}  // namespace spoor::agent
