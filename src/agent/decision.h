#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/rationale.h"
#include "compile/turn.h"

namespace spoor::agent {

/// An act at its moment, as a commit of type `decision`: on the chain of its run, never compiled.
struct Decision {
  std::string word;                    ///< `assumption`, `strategy-switch`, …: docs/agents.md
  std::string text;                    ///< what was decided, for people; the commit's content
  std::optional<Rationale> rationale;  ///< as it was given; nothing: none was
  compile::Facts facts;                ///< machine facts of this word
  std::vector<compile::Oid> about;     ///< commits that it speaks of

  bool operator==(const Decision&) const = default;
};

/// Code::invalid unless its word is one (lower-case letters and `-`) and its rationale, if any, is
/// as programs must write it.
Result<void> check_decision(const Decision& decision);

/// The turn that says so; without run, step, author and time.
compile::Turn turn_of(const Decision& decision);

}  // namespace spoor::agent
