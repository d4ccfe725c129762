#include "agent/decision.h"

namespace spoor::agent {

compile::Turn turn_of(const Decision& decision) {
  compile::Turn turn{.type = compile::Type::decision, .text = decision.text};
  if (decision.rationale) turn.fields.rationale = write_rationale(*decision.rationale);
  turn.facts = decision.facts;
  turn.facts.set_text("decision", decision.word);
  turn.about = decision.about;
  return turn;
}

}  // namespace spoor::agent
