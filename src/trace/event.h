#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compile/scrubber.h"
#include "llm/money.h"
#include "llm/usage.h"
#include "store/commit.h"
#include "trace/step.h"

namespace spoor::trace {

using store::Oid;

/// The version of the event's structure: docs/schema/decision-event-0.2.json.
constexpr const char* kEventVersion = "0.2";

/// What a fact that its source does not tell says, where the structure wants a word.
constexpr const char* kUnknown = "unknown";

/// Does the source tell this word?
inline bool is_known(const std::string& word) { return !word.empty() && word != kUnknown; }

/// A place where text of a conversation stands, as far as the capture mode lets it be seen.
struct Content {
  /// Where a secret was: `length` bytes of `text` from `start`, a placeholder of `rule`.
  struct Redaction {
    std::string rule;
    std::uint64_t start = 0;
    std::uint64_t length = 0;

    bool operator==(const Redaction&) const = default;
  };

  /// Of `unknown` only the mode is written: the source does not have the text.
  enum class Mode { full, redacted, hashed, erased, unknown };

  Mode mode = Mode::unknown;
  std::string text;                   ///< full and redacted
  std::vector<Redaction> redactions;  ///< redacted: in order, none overlapping
  std::string hash;                   ///< hashed: `hmac-sha256:` and 64 hexadecimal digits
  std::uint64_t bytes = 0;            ///< hashed: how long the text was

  bool has_text() const { return mode == Mode::full || mode == Mode::redacted; }

  bool operator==(const Content&) const = default;
};

/// Who ran, and where.
struct EventSession {
  enum class Environment { local, ci, staging, prod, unknown };

  std::string session_id;                ///< the branch that the run wrote on, or `unknown`
  std::string run_id;                    ///< 16 digits; of a branch that is no run, of its root
  std::string agent_id = kUnknown;       ///< the author `agent/…` of the run, else who drove it
  std::string agent_version = kUnknown;  ///< of the program that drove it
  Environment environment = Environment::unknown;
};

/// A rule that what the agent does must keep: from a file of constraints, or from the request.
struct Constraint {
  enum class Type { style, safety, format, scope, quality, other };

  std::string id;
  Type type = Type::other;
  std::string rule;  ///< in words
};

/// What was asked for.
struct EventRequest {
  std::string request_id;  ///< the commit of the turn that asked
  Content user_request_raw;
  std::vector<Constraint> constraints;
  std::string channel = kUnknown;
  std::string repo = kUnknown;
  std::string branch = kUnknown;
  std::string ticket_id = kUnknown;
};

/// A call that a model asked for.
struct RequestedCall {
  std::string id;
  std::string name;
  Content arguments;
};

/// Something that went along with a message: a picture, a file.
struct BundleAttachment {
  std::string media_type;
  std::string hash;  ///< the name of its blob in the store, 64 digits
};

/// One message of a prompt, as it was sent.
struct BundleMessage {
  std::string role;  ///< system, developer, user, assistant, tool
  Content content;
  std::vector<RequestedCall> tool_calls;  ///< of an assistant
  std::string tool_call_id;               ///< of a tool: the call that it answers; else empty
  std::vector<BundleAttachment> attachments;
};

/// A text that was looked up for the prompt.
struct Snippet {
  std::string source;  ///< where it is from, or `unknown`
  Content text;
};

struct ToolDeclaration {
  std::string name;
  Content description;
  Content schema;  ///< the text of its JSON Schema
};

/// What was done to the prompt before it was sent.
struct Transformation {
  enum class Type { template_, rewrite, summarize, other };

  Type type = Type::other;
  std::string summary;  ///< no text of the conversation: what and how many
};

/// What was actually sent, as far as the graph tells.
struct PromptBundle {
  std::vector<BundleMessage> messages;
  std::vector<Snippet> retrieval;  ///< `enabled` is written where there is one
  std::vector<ToolDeclaration> tools;
  std::vector<Transformation> transformations;
  /// The body of the request as it went, where a hook changed what `messages` say. Nothing: none
  /// did, and the request is `messages` and `tools` in the provider's shape.
  std::optional<Content> rewritten_request;
};

/// What a model was asked with. Nothing in it where the source does not tell.
struct PromptProvenance {
  std::string provider = kUnknown;
  std::string model = kUnknown;
  compile::Capture capture = compile::Capture::full;
  /// The parts that are kept less fully than that: `arguments=hashed,raw=hashed`. Empty: none, and
  /// it is not written.
  std::string capture_fields;
  /// Written with completions. Of other events nothing; `unknown` where the hash is.
  std::optional<PromptBundle> bundle;
  std::string bundle_hash;  ///< SHA-256 of its canonical JSON (RFC 8785), 64 digits; or `unknown`
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::int64_t> max_tokens;
  /// How many requests it took; nothing where the source does not tell.
  std::optional<std::int64_t> attempts;
};

/// What a model answered.
struct ModelOutput {
  /// The provider's id of it, else the commit's. Two events have the same where another message
  /// came into one of an imported session; only the first has its tokens then.
  std::string completion_id;
  Content output_raw;
  std::optional<Content> output_structured;  ///< where it is one JSON value: as RFC 8785 has it
  std::vector<RequestedCall> tool_calls;
  std::string finish_reason = kUnknown;      ///< the provider's word
  std::optional<std::int64_t> input_tokens;  ///< with those that came out of a cache
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> latency_ms;
  // Not written, for reports: the tokens by their kinds, and what the source says that it cost.
  llm::Usage usage;
  trace::Trust trust = trace::Trust::unknown;  ///< of the tokens
  std::optional<llm::Money> cost;
  trace::Trust cost_trust = trace::Trust::unknown;
};

/// Something that an action made.
struct Artifact {
  enum class Type { file_edit, command, test_run, pr, commit, diff };

  Type type = Type::command;
  std::string id;  ///< unique in the run
  Content summary;
  std::optional<Oid> content_ref;  ///< the blob
  std::string hash;                ///< SHA-256 of its bytes, 64 digits; empty: there is no blob
  std::optional<Content> path;
  std::optional<std::int64_t> lines_added;
  std::optional<std::int64_t> lines_removed;
  std::optional<std::int64_t> exit_code;
};

/// What a tool answered.
struct ToolResult {
  std::string call_id;
  std::string name;
  Content arguments;  ///< of the call that it answers: JSON
  bool is_error = false;
  Content output;
};

/// What was done.
struct AgentAction {
  enum class Type {
    plan,
    edit,
    run_tests,
    command,
    open_pr,
    merge,
    deploy,
    api_call,
    message,
    no_op,
    blocked,
    override_,
    other,
  };

  Type type = Type::other;
  Content summary;
  std::vector<Artifact> artifacts;
  std::vector<ToolResult> tool_results;
};

/// How bad a violation is.
enum class Severity { info, low, medium, high, critical };

/// A rule that was not kept.
struct Violation {
  std::string id;  ///< of the rule: `scope.denied-path`
  Severity severity = Severity::medium;
  Content message;
  Content evidence;
};

enum class CheckStatus { pass, warn, fail, unknown };

/// One check that was made, and what it found.
struct CheckResult {
  std::string check;  ///< the id of the constraint; `person`: a human judgement
  Constraint::Type type = Constraint::Type::other;  ///< what it is a check of
  CheckStatus status = CheckStatus::unknown;
  std::optional<double> score;  ///< 0 to 1
  std::vector<Violation> violations;
  std::optional<Oid> asked;  ///< the answer of the model that judged; not written
};

/// What has been judged of the action so far. `unknown` where nobody has.
struct Evaluation {
  CheckStatus alignment = CheckStatus::unknown;
  std::optional<double> score;        ///< the lowest that a check of alignment gave
  std::vector<Violation> violations;  ///< of alignment
  CheckStatus quality = CheckStatus::unknown;
  std::vector<CheckResult> quality_checks;
  CheckStatus policy = CheckStatus::unknown;
  std::vector<CheckResult> policy_checks;
};

/// What an event is of. Not written: the members say it.
enum class EventKind {
  completion,   ///< a model answered, whole or cut off
  failed_call,  ///< a model was asked, and nothing came
  action,       ///< a tool was called, or the call was refused
  override_,    ///< a person's judgement took the place of a check's
  end,          ///< the run ended
};

/// One action boundary of a run: a completion that was accepted, or something that was done. A
/// projection of the graph: the same commits give the same event, to the byte, in every process.
/// Ids are those of OpenTelemetry (https://www.w3.org/TR/trace-context/): 32 and 16 hexadecimal
/// digits, derived from the commits. A value.
struct DecisionEvent {
  EventKind kind = EventKind::completion;
  Oid commit;             ///< of the action; written as `commit`
  std::string event_id;   ///< a UUID
  std::string timestamp;  ///< RFC 3339; empty: the source has none, and it is `unknown`
  std::string trace_id;   ///< of the run, or of the one that began it
  std::string span_id;    ///< of this event
  /// The run's for completions, that of the completion for what it asked for. The span of a run
  /// that has not ended has no event yet. Empty: the run's own end; of a history that no run wrote,
  /// completions and what nothing known asked for.
  std::string parent_span_id;
  EventSession session;
  EventRequest request;
  PromptProvenance prompt_provenance;  ///< of an action, that of the completion that asked for it
  std::optional<ModelOutput> model_output;  ///< nothing: no completion belongs to it
  // Not written, for exports: what the source tells beside.
  std::string run_span;  ///< of the run, or of the history that no run wrote, as a whole
  std::string
      error_type;  ///< of what failed: the kind of the failure, `tool_error`; empty: it did not
  std::optional<std::int64_t> duration_ms;  ///< of an action, where it was measured
  /// When the turn before it was written, and when its last commit was; nothing where the source
  /// has no times.
  std::optional<Timestamp> began, ended;
  std::optional<llm::Money> tool_cost;  ///< of an action: what its tool took
  AgentAction agent_action;
  Evaluation evaluation;
};

}  // namespace spoor::trace
