#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/rationales.h"
#include "compile/facts_view.h"
#include "compile/turn.h"

namespace spoor::agent {

/// The calls of an answer, as its commit's meta records them, so that they can be counted without
/// reading texts. `calls`: the tools of its native calls, by the names that the model used.
/// `reasons`: by the number of the call, the confidence of its rationale, or `true` if it states
/// none. See docs/agents.md, "What a run leaves in the graph".
struct CallFacts {
  std::vector<std::string> tools;
  std::map<std::int64_t, std::optional<double>> reasons;  ///< calls with a rationale, from 1

  bool operator==(const CallFacts&) const = default;
};

/// Writes the calls and reasons to `facts`. Writes nothing if a name is not a tool id (it may be
/// any text), or if they are too long.
void set_call_facts(compile::Facts& facts, const std::vector<compile::ToolCall>& calls,
                    const Rationales& reasons);

/// Returns nullopt if `facts` does not have them; read the commit's fields instead.
std::optional<CallFacts> read_call_facts(const compile::FactsView& facts);

}  // namespace spoor::agent
