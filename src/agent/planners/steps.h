#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/rationale.h"
#include "base/result.h"

namespace spoor::agent::planners {

/// The action with which a model ends a run.
constexpr std::string_view kFinish = "finish";

/// The step that a reply requests.
struct ParsedStep {
  std::string thought;  ///< may be empty
  std::string action;
  std::string action_input = "{}";          ///< JSON, unchecked
  std::optional<std::string> final_answer;  ///< a string unquoted, anything else as JSON
  std::optional<Rationale> rationale;       ///< read leniently; a plain string becomes its `why`
  std::vector<std::string> dropped;         ///< invalid parts of the rationale, and why
  bool again = false;  ///< of a new plan: to be run, even if the same step was done before
};

/// Parses `{thought?, action, action_input?, final_answer?, rationale?}`. Returns Code::invalid if
/// the reply has no JSON (`no JSON block`), no object or no action.
Result<ParsedStep> parse_step(std::string_view reply);

/// Parses `{"plan": [step…]}` with at least one step, the last one `finish`.
Result<std::vector<ParsedStep>> parse_plan(std::string_view reply);

/// Returns the text of an answer that comes in parts: the first that `is_whole` of `front` and
/// `text` without a code fence that `text` opens again, both as they are, and `text` alone, if it
/// began anew; if none is, both.
std::string join_parts(const std::string& front, const std::string& text,
                       const std::function<bool(const std::string&)>& is_whole);

struct ParsedVerdict {
  bool accepts = false;
  std::string critique;
};

/// Parses `{"verdict": "accept"|"retry", "critique"?}`.
Result<ParsedVerdict> parse_verdict(std::string_view reply);

}  // namespace spoor::agent::planners
