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
#include "base/json/reader.h"
#include "compile/turn.h"
#include "llm/cost_tracker.h"

namespace spoor::agent {

struct RunEvent;  // agent/planner.h

/// A person's answer to a call that needs approval.
struct PersonsAnswer {
  bool allows = false;
  std::string reason;  ///< the person's words; a refused model is told them
};

/// How to resume a run that stopped.
struct ResumeOptions {
  std::optional<bool> approval = {};  ///< for the calls that wait for approval
  std::string reason = {};            ///< the person's words; may be empty
  bool again = false;                 ///< make the calls that may have run already once more
};

/// A call that has not come to its end: a person stopped it, or must approve something first.
struct Unfinished {
  std::string waits_for;   ///< `AGENT: TOOL`, the call that waits for approval; empty: none
  std::string waits_with;  ///< that call's arguments, JSON
  std::string subrun;      ///< the run that waits

  bool operator==(const Unfinished&) const = default;
};

/// The result of a tool call: the observation of a step. A value.
struct ToolResult {
  std::string text;       ///< what the model sees
  bool is_json = false;   ///< `text` is a JSON value, not plain text
  bool is_error = false;  ///< it failed: `text` is the reason, without the word `error`
  /// Machine facts for the result's commit, such as `exit_code`; no text of the conversation.
  compile::Facts facts;
  /// Attachments: a diff, or the whole of an output that was cut.
  std::vector<compile::Item> attach;
  /// Decisions that the tool made. Each becomes a commit in the transaction of the result. An
  /// invalid rationale (parse_rationale) fails the call.
  std::vector<Decision> decisions = {};
  /// Set by a tool that `continues`: the run stops without a result of this call, and makes it
  /// again when it is resumed. Ignored if nothing waits and nobody stopped the run.
  std::optional<Unfinished> unfinished = {};

  bool operator==(const ToolResult&) const = default;
};

/// Shorthands for results.
ToolResult gave(std::string text);
ToolResult gave_json(std::string json);
ToolResult failed(std::string why);

/// The call that started something.
struct CalledFrom {
  std::string run;        ///< its id
  compile::Oid answer;    ///< the answer or plan that contains the call
  std::int64_t call = 0;  ///< its number in the answer, from 1
  std::string tool = {};  ///< its tool
};

/// The circumstances of a tool call.
struct ToolContext {
  std::stop_token stop;                   ///< the run was interrupted, or the tool's time is over
  std::chrono::milliseconds timeout{0};   ///< 0: none; an interruptible tool observes it
  llm::CostTracker* tracker = nullptr;    ///< books the tool's costs; may be null
  Budget budget = {};                     ///< the rest of the run's, for what the tool starts
  std::optional<CalledFrom> caller = {};  ///< nullopt: no run called it
  /// Takes what the tool prints while it runs, for people; not the result. May be empty, and called
  /// from any thread.
  std::function<void(std::string_view)> output = {};
  /// Takes the events of a run that the tool starts; may be empty. One at a time.
  std::function<void(const RunEvent&)> tell = {};
  /// Set if an earlier process may have begun this call: how its run is resumed.
  std::optional<ResumeOptions> resumes = {};
};

/// The tree that a run is an attempt of (attempts/tree.h). A run with this goes on from the history
/// of its branch: no system prompt and no goal are written.
struct AttemptOf {
  std::string tree;               ///< the tree's id
  std::int64_t number = 0;        ///< of the attempt, from 1
  std::int64_t observations = 0;  ///< of the run that it goes on from: its own are numbered on

  bool operator==(const AttemptOf&) const = default;
};

/// The description of a tool that does not come with spoor, as a model sees it. Recorded with a
/// run, so that a resumed one tells its model the same. A value.
struct ToolDefinition {
  std::string id;
  std::string description;
  std::string parameters;  ///< as in Tool, byte for byte
  bool read_only = false;

  bool operator==(const ToolDefinition&) const = default;
};

/// Returns a definition as a JSON object, to be kept, and reads it again.
std::string write_definition(const ToolDefinition& definition);
ToolDefinition read_definition(const json::Value& object);

/// The tags of tools that are the user's programs or a server's: whether they only read is what
/// they say themselves.
constexpr std::string_view kProgramTag = "program";
constexpr std::string_view kServerTag = "mcp";

/// A tool that a model may call.
struct Tool {
  /// Runs the tool. `arguments` is a JSON object that fits `parameters`. An exception is a failed
  /// result. Tools that are `read_only` are called from several threads at once.
  using Run = std::function<ToolResult(std::string_view arguments, const ToolContext& context)>;

  std::string id;           ///< `read_file`, `notes.search`: letters, digits, `_`, `-`, `.`; to 64
  std::string description;  ///< for the model: what it does and returns
  std::string parameters;   ///< a JSON Schema of the arguments, an object; empty: no arguments
  Run run;

  std::vector<std::string> tags;  ///< for people and filters
  bool read_only = false;         ///< changes nothing: may run in parallel
  bool needs_approval = false;    ///< a person must approve the call
  bool continues = false;  ///< a call that was begun goes on by its own record: it is made again
  std::chrono::milliseconds timeout{0};            ///< of one call; 0: none
  std::map<std::string, std::string> annotations;  ///< any other; key to text
  /// Returns a result's text as data, for a later step of a plan that refers to it: without what
  /// was added for the model, such as line numbers. Empty: the text is the data.
  std::function<std::string(std::string_view)> data_of = {};
};

/// Makes a tool of this definition, with its parts of the same name.
Tool make_tool(const ToolDefinition& definition, Tool::Run run);

}  // namespace spoor::agent
