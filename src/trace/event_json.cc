#include "trace/event_json.h"

#include <array>
#include <utility>

#include "base/json/number.h"
#include "base/json/writer.h"
#include "base/words.h"
#include "store/sha256.h"

namespace spoor::trace {
namespace {

using json::Object;

constexpr std::array<std::pair<Content::Mode, std::string_view>, 5> kModes = {{
    {Content::Mode::full, "full"},
    {Content::Mode::redacted, "redacted"},
    {Content::Mode::hashed, "hashed"},
    {Content::Mode::erased, "erased"},
    {Content::Mode::unknown, "unknown"},
}};
constexpr std::array<std::pair<EventSession::Environment, std::string_view>, 5> kEnvironments = {{
    {EventSession::Environment::local, "local"},
    {EventSession::Environment::ci, "ci"},
    {EventSession::Environment::staging, "staging"},
    {EventSession::Environment::prod, "prod"},
    {EventSession::Environment::unknown, "unknown"},
}};
constexpr std::array<std::pair<Constraint::Type, std::string_view>, 6> kConstraints = {{
    {Constraint::Type::style, "style"},
    {Constraint::Type::safety, "safety"},
    {Constraint::Type::format, "format"},
    {Constraint::Type::scope, "scope"},
    {Constraint::Type::quality, "quality"},
    {Constraint::Type::other, "other"},
}};
constexpr std::array<std::pair<Transformation::Type, std::string_view>, 4> kTransformations = {{
    {Transformation::Type::template_, "template"},
    {Transformation::Type::rewrite, "rewrite"},
    {Transformation::Type::summarize, "summarize"},
    {Transformation::Type::other, "other"},
}};
constexpr std::array<std::pair<Artifact::Type, std::string_view>, 6> kArtifacts = {{
    {Artifact::Type::file_edit, "file_edit"},
    {Artifact::Type::command, "command"},
    {Artifact::Type::test_run, "test_run"},
    {Artifact::Type::pr, "pr"},
    {Artifact::Type::commit, "commit"},
    {Artifact::Type::diff, "diff"},
}};
constexpr std::array<std::pair<AgentAction::Type, std::string_view>, 13> kActions = {{
    {AgentAction::Type::plan, "plan"},
    {AgentAction::Type::edit, "edit"},
    {AgentAction::Type::run_tests, "run_tests"},
    {AgentAction::Type::command, "command"},
    {AgentAction::Type::open_pr, "open_pr"},
    {AgentAction::Type::merge, "merge"},
    {AgentAction::Type::deploy, "deploy"},
    {AgentAction::Type::api_call, "api_call"},
    {AgentAction::Type::message, "message"},
    {AgentAction::Type::no_op, "no_op"},
    {AgentAction::Type::blocked, "blocked"},
    {AgentAction::Type::override_, "override"},
    {AgentAction::Type::other, "other"},
}};
constexpr std::array<std::pair<Severity, std::string_view>, 5> kSeverities = {{
    {Severity::info, "info"},
    {Severity::low, "low"},
    {Severity::medium, "medium"},
    {Severity::high, "high"},
    {Severity::critical, "critical"},
}};
constexpr std::array<std::pair<CheckStatus, std::string_view>, 4> kStatuses = {{
    {CheckStatus::pass, "pass"},
    {CheckStatus::warn, "warn"},
    {CheckStatus::fail, "fail"},
    {CheckStatus::unknown, "unknown"},
}};

void add_integer(Object& object, const char* key, const std::optional<std::int64_t>& value) {
  if (value && *value >= -json::kMaxExactInteger && *value <= json::kMaxExactInteger) {
    object.add_integer(key, *value);
  } else {
    object.add_json(key, "null");
  }
}

void add_number(Object& object, const char* key, const std::optional<double>& value) {
  object.add_json(key, value ? json::write_number(*value) : "null");
}

std::string word(const std::string& text) { return text.empty() ? kUnknown : text; }

template <class List, class Write>
std::string list_of(const List& list, const Write& write) {
  std::vector<std::string> elements;
  elements.reserve(list.size());
  for (const auto& element : list) elements.push_back(write(element));
  return json::write_array(elements);
}

std::string write_call(const RequestedCall& call) {
  Object object;
  object.add_json("arguments", to_json(call.arguments));
  object.add_string("id", call.id);
  object.add_string("name", call.name);
  return object.write();
}

std::string write_attachment(const BundleAttachment& attachment) {
  Object object;
  object.add_string("hash", attachment.hash);
  object.add_string("media_type", attachment.media_type);
  return object.write();
}

std::string write_message(const BundleMessage& message) {
  Object object;
  object.add_json("content", to_json(message.content));
  object.add_string("role", message.role);
  if (!message.tool_calls.empty()) {
    object.add_json("tool_calls", list_of(message.tool_calls, write_call));
  }
  if (!message.tool_call_id.empty()) object.add_string("tool_call_id", message.tool_call_id);
  if (!message.attachments.empty()) {
    object.add_json("attachments", list_of(message.attachments, write_attachment));
  }
  return object.write();
}

std::string write_snippet(const Snippet& snippet) {
  Object object;
  object.add_string("source", word(snippet.source));
  object.add_json("text", to_json(snippet.text));
  return object.write();
}

std::string write_retrieval(const std::vector<Snippet>& snippets) {
  std::vector<std::string> sources;
  for (const Snippet& snippet : snippets) {
    std::string source = word(snippet.source);
    bool is_new = true;
    for (const std::string& earlier : sources) is_new = is_new && earlier != source;
    if (is_new) sources.push_back(std::move(source));
  }
  Object object;
  object.add_boolean("enabled", !snippets.empty());
  object.add_json("snippets", list_of(snippets, write_snippet));
  object.add_json("sources", json::write_strings(sources));
  return object.write();
}

std::string write_tool(const ToolDeclaration& tool) {
  Object object;
  object.add_json("description", to_json(tool.description));
  object.add_string("name", tool.name);
  object.add_json("schema", to_json(tool.schema));
  return object.write();
}

std::string write_transformation(const Transformation& transformation) {
  Object object;
  object.add_string("summary", transformation.summary);
  object.add_string("type", name_of(transformation.type));
  return object.write();
}

std::string write_session(const EventSession& session) {
  Object object;
  object.add_string("agent_id", word(session.agent_id));
  object.add_string("agent_version", word(session.agent_version));
  object.add_string("environment", name_of(session.environment));
  object.add_string("run_id", session.run_id);
  object.add_string("session_id", word(session.session_id));
  return object.write();
}

std::string write_constraint(const Constraint& constraint) {
  Object object;
  object.add_string("id", constraint.id);
  object.add_string("rule", constraint.rule);
  object.add_string("type", name_of(constraint.type));
  return object.write();
}

std::string write_request(const EventRequest& request) {
  Object context;
  context.add_string("branch", word(request.branch));
  context.add_string("channel", word(request.channel));
  context.add_string("repo", word(request.repo));
  context.add_string("ticket_id", word(request.ticket_id));
  Object object;
  object.add_json("constraints", list_of(request.constraints, write_constraint));
  object.add_json("context", context.write());
  object.add_string("request_id", word(request.request_id));
  object.add_json("user_request_raw", to_json(request.user_request_raw));
  return object.write();
}

std::string write_provenance(const PromptProvenance& provenance) {
  Object parameters;
  add_integer(parameters, "max_tokens", provenance.max_tokens);
  add_number(parameters, "temperature", provenance.temperature);
  add_number(parameters, "top_p", provenance.top_p);
  const std::string hash = word(provenance.bundle_hash);
  Object object;
  add_integer(object, "attempts", provenance.attempts);
  if (!provenance.capture_fields.empty()) {
    object.add_string("capture_fields", provenance.capture_fields);
  }
  object.add_string("capture_mode", compile::name_of(provenance.capture));
  object.add_string("model", word(provenance.model));
  object.add_json("parameters", parameters.write());
  if (provenance.bundle) {
    object.add_json("prompt_bundle", to_json(*provenance.bundle));
  } else {
    object.add_json("prompt_bundle", hash == kUnknown ? json::write_string(kUnknown) : "null");
  }
  object.add_string("prompt_bundle_hash", hash);
  object.add_string("provider", word(provenance.provider));
  return object.write();
}

void add_tokens(Object& to, const char* key, const std::optional<std::uint64_t>& count) {
  to.add_json(key, count ? std::to_string(*count) : "null");
}

std::string write_output(const ModelOutput& output) {
  Object usage;
  add_tokens(usage, "cache_read_tokens", output.usage.cached);
  add_tokens(usage, "cache_write_tokens", output.usage.cache_written);
  usage.add_string("cost_trust", trace::name_of(output.cost_trust));
  usage.add_json("cost_usd", output.cost ? llm::dollars(*output.cost) : "null");
  add_integer(usage, "input_tokens", output.input_tokens);
  add_integer(usage, "latency_ms", output.latency_ms);
  add_integer(usage, "output_tokens", output.output_tokens);
  usage.add_string("tokens_trust", trace::name_of(output.trust));
  Object object;
  object.add_string("completion_id", word(output.completion_id));
  object.add_string("finish_reason", word(output.finish_reason));
  object.add_json("output_raw", to_json(output.output_raw));
  object.add_json("output_structured",
                  output.output_structured ? to_json(*output.output_structured) : "null");
  object.add_json("tool_calls", list_of(output.tool_calls, write_call));
  object.add_json("usage", usage.write());
  return object.write();
}

std::string write_artifact(const Artifact& artifact) {
  Object metadata;
  add_integer(metadata, "exit_code", artifact.exit_code);
  add_integer(metadata, "lines_added", artifact.lines_added);
  add_integer(metadata, "lines_removed", artifact.lines_removed);
  metadata.add_json("path", artifact.path ? to_json(*artifact.path) : "null");
  Object object;
  object.add_json("content_ref",
                  artifact.content_ref ? json::write_string(artifact.content_ref->hex()) : "null");
  object.add_json("hash", artifact.hash.empty() ? "null" : json::write_string(artifact.hash));
  object.add_string("id", artifact.id);
  object.add_json("metadata", metadata.write());
  object.add_json("summary", to_json(artifact.summary));
  object.add_string("type", name_of(artifact.type));
  return object.write();
}

std::string write_result(const ToolResult& result) {
  Object object;
  object.add_json("arguments", to_json(result.arguments));
  object.add_string("call_id", word(result.call_id));
  object.add_boolean("is_error", result.is_error);
  object.add_string("name", word(result.name));
  object.add_json("output", to_json(result.output));
  return object.write();
}

std::string write_action(const AgentAction& action) {
  Object object;
  object.add_json("action_summary", to_json(action.summary));
  object.add_string("action_type", name_of(action.type));
  object.add_json("artifacts", list_of(action.artifacts, write_artifact));
  object.add_json("tool_results", list_of(action.tool_results, write_result));
  return object.write();
}

std::string write_violation(const Violation& violation) {
  Object object;
  object.add_json("evidence", to_json(violation.evidence));
  object.add_string("id", violation.id);
  object.add_json("message", to_json(violation.message));
  object.add_string("severity", name_of(violation.severity));
  return object.write();
}

std::string write_check(const CheckResult& check) {
  Object object;
  object.add_string("check", check.check);
  add_number(object, "score", check.score);
  object.add_string("status", name_of(check.status));
  object.add_json("violations", list_of(check.violations, write_violation));
  return object.write();
}

std::string write_checks(CheckStatus status, const std::vector<CheckResult>& checks) {
  Object object;
  object.add_json("checks", list_of(checks, write_check));
  object.add_string("status", name_of(status));
  return object.write();
}

std::string write_evaluation(const Evaluation& evaluation) {
  Object alignment;
  add_number(alignment, "score", evaluation.score);
  alignment.add_string("status", name_of(evaluation.alignment));
  alignment.add_json("violations", list_of(evaluation.violations, write_violation));
  Object object;
  object.add_json("alignment", alignment.write());
  object.add_json("policy", write_checks(evaluation.policy, evaluation.policy_checks));
  object.add_json("quality", write_checks(evaluation.quality, evaluation.quality_checks));
  return object.write();
}

}  // namespace

std::string_view name_of(Content::Mode mode) { return word_in(kModes, mode); }
std::string_view name_of(EventSession::Environment environment) {
  return word_in(kEnvironments, environment);
}
std::string_view name_of(Constraint::Type type) { return word_in(kConstraints, type); }
std::string_view name_of(Transformation::Type type) { return word_in(kTransformations, type); }
std::string_view name_of(Artifact::Type type) { return word_in(kArtifacts, type); }
std::string_view name_of(AgentAction::Type type) { return word_in(kActions, type); }
std::string_view name_of(Severity severity) { return word_in(kSeverities, severity); }
std::string_view name_of(CheckStatus status) { return word_in(kStatuses, status); }

std::optional<EventSession::Environment> environment_from(std::string_view word) {
  return value_in(kEnvironments, word);
}
std::optional<Constraint::Type> constraint_type_from(std::string_view word) {
  return value_in(kConstraints, word);
}
std::optional<AgentAction::Type> action_type_from(std::string_view word) {
  return value_in(kActions, word);
}
std::optional<Severity> severity_from(std::string_view word) { return value_in(kSeverities, word); }
std::optional<CheckStatus> status_from(std::string_view word) { return value_in(kStatuses, word); }

std::string to_json(const Content& content) {
  if (content.mode == Content::Mode::full) return json::write_string(content.text);
  Object object;
  object.add_string("mode", name_of(content.mode));
  if (content.mode == Content::Mode::redacted) {
    object.add_string("text", content.text);
    object.add_json("redactions", list_of(content.redactions, [](const Content::Redaction& one) {
                      Object redaction;
                      redaction.add_integer("length", static_cast<std::int64_t>(one.length));
                      redaction.add_string("rule", one.rule);
                      redaction.add_integer("start", static_cast<std::int64_t>(one.start));
                      return redaction.write();
                    }));
  } else if (content.mode == Content::Mode::hashed) {
    object.add_string("hash", content.hash);
    object.add_integer("bytes", static_cast<std::int64_t>(content.bytes));
  }
  return object.write();
}

std::string to_json(const PromptBundle& bundle) {
  Object object;
  object.add_json("messages", list_of(bundle.messages, write_message));
  object.add_json("retrieval", write_retrieval(bundle.retrieval));
  if (bundle.rewritten_request) {
    object.add_json("rewritten_request", to_json(*bundle.rewritten_request));
  }
  object.add_json("tools", list_of(bundle.tools, write_tool));
  object.add_json("transformations", list_of(bundle.transformations, write_transformation));
  return object.write();
}

std::string hash_of(const PromptBundle& bundle) { return store::sha256(to_json(bundle)).hex(); }

std::string to_json(const DecisionEvent& event) {
  Object object;
  object.add_json("agent_action", write_action(event.agent_action));
  object.add_string("commit", event.commit.hex());
  object.add_json("evaluation", write_evaluation(event.evaluation));
  object.add_string("event_id", event.event_id);
  object.add_json("model_output", event.model_output ? write_output(*event.model_output) : "null");
  object.add_json("parent_span_id",
                  event.parent_span_id.empty() ? "null" : json::write_string(event.parent_span_id));
  object.add_json("prompt_provenance", write_provenance(event.prompt_provenance));
  object.add_json("request", write_request(event.request));
  object.add_string("schema_version", kEventVersion);
  object.add_json("session", write_session(event.session));
  object.add_string("span_id", event.span_id);
  object.add_string("timestamp", word(event.timestamp));
  object.add_string("trace_id", event.trace_id);
  return object.write();
}

}  // namespace spoor::trace
