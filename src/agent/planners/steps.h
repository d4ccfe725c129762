#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/rationale.h"
#include "base/result.h"

namespace spoor::agent::planners {

/// The word by which a model ends.
constexpr std::string_view kFinish = "finish";

/// What a reply says is to be done.
struct ParsedStep {
  std::string thought;  ///< empty where it gives none
  std::string action;
  std::string action_input = "{}";          ///< JSON, whatever it is
  std::optional<std::string> final_answer;  ///< a string as it is, anything else as JSON
  std::optional<Rationale> rationale;       ///< read leniently; a plain string is its `why`
  std::vector<std::string> dropped;         ///< what was no rationale, and why
};

/// Reads `{thought?, action, action_input?, final_answer?, rationale?}`. Code::invalid where the
/// reply is malformed: no JSON at all (`no JSON block`), no object, no action.
Result<ParsedStep> parse_step(std::string_view reply);

/// Reads `{"plan": [step…]}`: one step at least, the last one `finish`.
Result<std::vector<ParsedStep>> parse_plan(std::string_view reply);

struct ParsedVerdict {
  bool accepts = false;
  std::string critique;
};

/// Reads `{"verdict": "accept"|"retry", "critique"?}`.
Result<ParsedVerdict> parse_verdict(std::string_view reply);

}  // namespace spoor::agent::planners
