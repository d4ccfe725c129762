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

/// The word for a fact that the source does not have, where the structure requires a word.
constexpr const char* kUnknown = "unknown";

/// Returns true if the source has this word.
inline bool is_known(const std::string& word) { return !word.empty() && word != kUnknown; }

/// A text of a conversation, as far as the capture mode shows it.
struct Content {
  /// A redacted secret: `length` bytes of `text` from `start`, a placeholder of `rule`.
  struct Redaction {
    std::string rule;
    std::uint64_t start = 0;
    std::uint64_t length = 0;

    bool operator==(const Redaction&) const = default;
  };

  /// For `unknown` only the mode is written: the source does not have the text.
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

  std::string session_id;           ///< the branch that the run wrote on, or `unknown`
  std::string run_id;               ///< 16 digits; for a branch that is not a run, from its root
  std::string agent_id = kUnknown;  ///< the run's author `agent/…`, else who drove it
  std::string agent_version = kUnknown;  ///< of the program that drove it
  Environment environment = Environment::unknown;
};

/// A rule that the agent's actions must keep: from a file of constraints, or from the request.
struct Constraint {
  enum class Type { style, safety, format, scope, quality, other };

  std::string id;
  Type type = Type::other;
  std::string rule;  ///< in words
};

/// The request of the user.
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

/// An attachment of a message: a picture, a file.
struct BundleAttachment {
  std::string media_type;
  std::string hash;  ///< the name of its blob in the store, 64 digits
};

/// One message of a prompt, as it was sent.
struct BundleMessage {
  std::string role;  ///< system, developer, user, assistant, tool
  Content content;
  std::vector<RequestedCall> tool_calls;  ///< if the role is assistant
  std::string tool_call_id;  ///< if the role is tool: the call that it answers; else empty
  std::vector<BundleAttachment> attachments;
};

/// A text that was retrieved for the prompt.
struct Snippet {
  std::string source;  ///< where it is from, or `unknown`
  Content text;
};

struct ToolDeclaration {
  std::string name;
  Content description;
  Content schema;  ///< the text of its JSON Schema
};

/// A change of the prompt before it was sent.
struct Transformation {
  enum class Type { template_, rewrite, summarize, other };

  Type type = Type::other;
  std::string summary;  ///< what and how many, without text of the conversation
};

/// The prompt that was sent, as far as the graph records it.
struct PromptBundle {
  std::vector<BundleMessage> messages;
  std::vector<Snippet> retrieval;  ///< `enabled` is written where there is one
  std::vector<ToolDeclaration> tools;
  std::vector<Transformation> transformations;
  /// The body of the request as it was sent, if a hook changed the content of `messages`. Nullopt:
  /// no hook did, and the request is `messages` and `tools` in the provider's shape.
  std::optional<Content> rewritten_request;
};

/// The request to a model: prompt and parameters. Empty members are unknown to the source.
struct PromptProvenance {
  std::string provider = kUnknown;
  std::string model = kUnknown;
  compile::Capture capture = compile::Capture::full;
  /// The parts that are kept less fully than `capture`: `arguments=hashed,raw=hashed`. If there are
  /// none, it is empty and not written.
  std::string capture_fields;
  /// Written with completions. Nullopt for other events; written as `unknown` if the hash is.
  std::optional<PromptBundle> bundle;
  std::string bundle_hash;  ///< SHA-256 of its canonical JSON (RFC 8785), 64 digits; or `unknown`
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::int64_t> max_tokens;
  /// How many requests the answer took; nullopt if the source does not record it.
  std::optional<std::int64_t> attempts;
};

/// The answer of a model.
struct ModelOutput {
  /// The provider's id of the answer, else the commit's. Two events have the same id if another
  /// message interrupted a message of an imported session; then only the first has its tokens.
  std::string completion_id;
  Content output_raw;
  std::optional<Content> output_structured;  ///< if it is one JSON value: in the form of RFC 8785
  std::vector<RequestedCall> tool_calls;
  std::string finish_reason = kUnknown;      ///< the provider's word
  std::optional<std::int64_t> input_tokens;  ///< including those read from a cache
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> latency_ms;
  // Not written, for reports: the tokens by kind, and the cost that the source states.
  llm::Usage usage;
  trace::Trust trust = trace::Trust::unknown;  ///< of the tokens
  std::optional<llm::Money> cost;
  trace::Trust cost_trust = trace::Trust::unknown;
};

/// A result of an action: an edited file, a command, a diff.
struct Artifact {
  enum class Type { file_edit, command, test_run, pr, commit, diff };

  Type type = Type::command;
  std::string id;  ///< unique in the run
  Content summary;
  std::optional<Oid> content_ref;  ///< the blob
  std::string hash;                ///< SHA-256 of its bytes, 64 digits; empty: no blob
  std::optional<Content> path;
  std::optional<std::int64_t> lines_added;
  std::optional<std::int64_t> lines_removed;
  std::optional<std::int64_t> exit_code;
};

/// The result of a tool call.
struct ToolResult {
  std::string call_id;
  std::string name;
  Content arguments;  ///< of the call that it answers: JSON
  bool is_error = false;
  Content output;
};

/// An action of the agent.
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

/// A rule that was broken.
struct Violation {
  std::string id;  ///< of the rule: `scope.denied-path`
  Severity severity = Severity::medium;
  Content message;
  Content evidence;
};

enum class CheckStatus { pass, warn, fail, unknown };

/// The result of one check.
struct CheckResult {
  std::string check;  ///< the id of the constraint; `person`: a human judgement
  Constraint::Type type = Constraint::Type::other;  ///< the type of the constraint that it checks
  CheckStatus status = CheckStatus::unknown;
  std::optional<double> score;  ///< 0 to 1
  std::vector<Violation> violations;
  std::optional<Oid> asked;  ///< the answer of the model that judged; not written
  std::string by;            ///< a hash of what it was judged by; empty: not known. Not in events.
};

/// The judgements of the action so far. `unknown` if there are none.
struct Evaluation {
  CheckStatus alignment = CheckStatus::unknown;
  std::optional<double> score;        ///< the lowest score of a check of alignment
  std::vector<Violation> violations;  ///< of alignment
  CheckStatus quality = CheckStatus::unknown;
  std::vector<CheckResult> quality_checks;
  CheckStatus policy = CheckStatus::unknown;
  std::vector<CheckResult> policy_checks;
};

/// The kind of an event. Not written: the members show it.
enum class EventKind {
  completion,   ///< a model answered, whole or cut off
  failed_call,  ///< a model was asked, and no answer came
  action,       ///< a tool was called, or the call was refused
  override_,    ///< a person's judgement took the place of a check's
  end,          ///< the run ended
};

/// One action boundary of a run: an accepted completion, or an action. A projection of the graph:
/// the same commits give the same event, to the byte, in every process. Ids are those of
/// OpenTelemetry (https://www.w3.org/TR/trace-context/): 32 and 16 hexadecimal digits, derived from
/// the commits. A value.
struct DecisionEvent {
  EventKind kind = EventKind::completion;
  Oid commit;             ///< of the action; written as `commit`
  std::string event_id;   ///< a UUID
  std::string timestamp;  ///< RFC 3339; empty: the source has none, and `unknown` is written
  std::string trace_id;   ///< of the run, or of the run that began it
  std::string span_id;    ///< of this event
  /// The run's span for completions, the completion's span for the actions that it asked for. The
  /// span of a run that has not ended has no event yet. Empty for the run's own end and, in a
  /// history that no run wrote, for completions and for actions that no known completion asked for.
  std::string parent_span_id;
  EventSession session;
  EventRequest request;
  PromptProvenance prompt_provenance;  ///< for an action, that of the completion that asked for it
  std::optional<ModelOutput> model_output;  ///< nullopt: no completion belongs to it
  // Not written, for exports: more that the source records.
  std::string run_span;    ///< of the run, or of a history that no run wrote, as a whole
  std::string error_type;  ///< of a failure: its kind, `tool_error`; empty: it did not fail
  std::optional<std::int64_t> duration_ms;  ///< of an action, where it was measured
  /// When the turn before it was written, and when its last commit was; nullopt if the source has
  /// no times.
  std::optional<Timestamp> began, ended;
  std::optional<llm::Money> tool_cost;  ///< of an action: the cost of its tool
  AgentAction agent_action;
  Evaluation evaluation;
};

}  // namespace spoor::trace
