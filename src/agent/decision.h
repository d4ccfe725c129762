#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/rationale.h"
#include "compile/turn.h"

namespace spoor::agent {

/// A decision of a run, as a commit of type `decision`: on the run's chain, never compiled.
struct Decision {
  std::string word;                    ///< `assumption`, `strategy-switch`, …: docs/agents.md
  std::string text;                    ///< what was decided, for people; the commit's content
  std::optional<Rationale> rationale;  ///< as given; nullopt: none
  compile::Facts facts;                ///< machine facts for this word
  std::vector<compile::Oid> about;     ///< the commits that it concerns
  std::optional<compile::ToolCall> call = {};  ///< the call that begins with it, as it is made

  bool operator==(const Decision&) const = default;
};

/// Returns Code::invalid unless `word` consists of lower-case letters and `-`, and `rationale`, if
/// any, passes parse_rationale().
Result<void> check_decision(const Decision& decision);

/// Returns the turn of a decision; without run, step, author and time.
compile::Turn turn_of(const Decision& decision);

}  // namespace spoor::agent
