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

/// What the meta of an answer says of its calls, so that whoever counts them needs none of its
/// texts: `calls`, the tools of its native calls as they were called, and `reasons`, by the number
/// of the call its confidence, or `true` where it states none. docs/agents.md, "What a run leaves
/// in the graph".
struct CallFacts {
  std::vector<std::string> tools;
  std::map<std::int64_t, std::optional<double>> reasons;  ///< the calls that have one, from 1

  bool operator==(const CallFacts&) const = default;
};

/// Writes them; nothing where a name is no id of a tool, for then it may be any text, or where they
/// are long.
void set_call_facts(compile::Facts& facts, const std::vector<compile::ToolCall>& calls,
                    const Rationales& reasons);

/// Reads them; nothing where they do not stand there, and the fields have to be asked.
std::optional<CallFacts> read_call_facts(const compile::FactsView& facts);

}  // namespace spoor::agent
