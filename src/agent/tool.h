#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/budget.h"
#include "agent/decision.h"
#include "compile/turn.h"
#include "llm/cost_tracker.h"

namespace spoor::agent {

/// What a tool gave: the observation of a step. A value.
struct ToolResult {
  std::string text;       ///< what the model is shown
  bool is_json = false;   ///< `text` is a JSON value, and not just text
  bool is_error = false;  ///< it failed, and `text` says why, without the word `error`
  /// Machine facts for the commit of the result, such as `exit_code`. No text of the conversation.
  compile::Facts facts;
  /// What it made beside its text: a diff, the whole of an output that was cut.
  std::vector<compile::Item> attach;
  /// What it decided on the way: each is a commit of its own, in the transaction of the result. A
  /// rationale has to be one (parse_rationale), else the call fails.
  std::vector<Decision> decisions = {};

  bool operator==(const ToolResult&) const = default;
};

/// A result in one call.
ToolResult gave(std::string text);
ToolResult gave_json(std::string json);
ToolResult failed(std::string why);

/// The call that something was begun by.
struct CalledFrom {
  std::string run;        ///< its id
  compile::Oid answer;    ///< the answer, or the plan, that the call stands in
  std::int64_t call = 0;  ///< its number there, from 1
};

/// What a tool is run with.
struct ToolContext {
  std::stop_token stop;                   ///< the run was interrupted, or the tool's time is over
  std::chrono::milliseconds timeout{0};   ///< 0: none; a tool that can be cut off heeds it
  llm::CostTracker* tracker = nullptr;    ///< where a tool books what it costs; may be null
  Budget budget = {};                     ///< what is left of the run's, for what the tool starts
  std::optional<CalledFrom> caller = {};  ///< nothing: no run called it
};

/// Something a model may do.
struct Tool {
  /// Does it. `arguments` is a JSON object that fits `parameters`. What it throws is a failure.
  /// Tools that are `read_only` are run from several threads at once.
  using Run = std::function<ToolResult(std::string_view arguments, const ToolContext& context)>;

  std::string id;           ///< `read_file`, `notes.search`: letters, digits, `_`, `-`, `.`; to 64
  std::string description;  ///< for the model: what it does and what it gives
  std::string parameters;   ///< a JSON Schema of the arguments, an object; empty: it takes none
  Run run;

  std::vector<std::string> tags;                   ///< for people and filters
  bool read_only = false;                          ///< changes nothing: may run beside others
  bool needs_approval = false;                     ///< a person is asked first
  std::chrono::milliseconds timeout{0};            ///< of one call; 0: none
  std::map<std::string, std::string> annotations;  ///< whatever else; key to text
};

}  // namespace spoor::agent
