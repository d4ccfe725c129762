#include "report/export/otlp.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/number.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/timestamp.h"
#include "base/words.h"
#include "compile/turn.h"
#include "report/event/event.h"

namespace spoor::report {

namespace {

using json::Object;

constexpr int kInternal = 1;  // SpanKind
constexpr int kClient = 3;
constexpr int kError = 2;  // StatusCode
constexpr int kDebug = 5;  // SeverityNumber
constexpr int kInfo = 9;

constexpr std::array<std::pair<OtelEdition, std::string_view>, 2> kEditions = {{
    {OtelEdition::v1_41, "1.41"},
    {OtelEdition::latest, "latest"},
}};

// Well-known values of gen_ai.provider.name; other names are written unchanged.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kProviders = {{
    {"gemini", "gcp.gemini"},
    {"google", "gcp.gemini"},
    {"mistral", "mistral_ai"},
    {"xai", "x_ai"},
    {"azure", "azure.ai.openai"},
    {"bedrock", "aws.bedrock"},
}};

std::string provider_name(const std::string& provider) {
  for (const auto& [ours, theirs] : kProviders) {
    if (provider == ours) return std::string(theirs);
  }
  return provider;
}

// Returns an AnyValue.
std::string text_value(std::string_view text) {
  Object value;
  value.add_string("stringValue", text);
  return value.write();
}
std::string integer_value(std::int64_t number) {
  Object value;
  value.add_string("intValue", std::to_string(number));
  return value.write();
}
std::string list_value(const std::vector<std::string>& values) {
  Object list;
  list.add_json("values", json::write_array(values));
  Object value;
  value.add_json("arrayValue", list.write());
  return value.write();
}

// Attributes in the order they are added.
class Attributes {
 public:
  void add_value(const std::string& key, std::string value) {
    Object one;
    one.add_string("key", key);
    one.add_json("value", std::move(value));
    all_.push_back(one.write());
  }
  void add(const std::string& key, const std::string& text) {
    if (is_known(text)) add_value(key, text_value(text));
  }
  void add(const std::string& key, const std::optional<std::int64_t>& number) {
    if (number) add_value(key, integer_value(*number));
  }
  void add(const std::string& key, const std::optional<double>& number) {
    if (!number) return;
    Object value;
    value.add_json("doubleValue", json::write_number(*number));
    add_value(key, value.write());
  }
  std::string write() const { return json::write_array(all_); }

 private:
  std::vector<std::string> all_;
};

// Returns a JSON value as an AnyValue, the form of structured values in a log event.
std::string any_value(const json::Value& value) {
  Object any;
  if (value.is_array()) {
    std::vector<std::string> values;
    for (const json::Value element : value.elements()) values.push_back(any_value(element));
    return list_value(values);
  }
  if (value.is_object()) {
    std::vector<std::string> members;
    for (const json::Member member : value.members()) {
      Object one;
      one.add_string("key", member.key.text());
      one.add_json("value", any_value(member.value));
      members.push_back(one.write());
    }
    Object list;
    list.add_json("values", json::write_array(members));
    any.add_json("kvlistValue", list.write());
  } else if (value.is_string()) {
    any.add_string("stringValue", value.text());
  } else if (value.is_true() || value.is_false()) {
    any.add_boolean("boolValue", value.is_true());
  } else if (const auto integer = value.integer()) {
    any.add_string("intValue", std::to_string(*integer));
  } else if (value.is_number()) {
    any.add_json("doubleValue", std::string(value.raw()));
  }
  return any.write();
}

std::string any_value_of(const std::string& text) {
  const auto document = json::parse(text);
  return document ? any_value(document->root()) : text_value(text);
}

// Returns the text of a content, or its JSON if it has none.
std::string telling(const Content& content) {
  return content.has_text() ? content.text : to_json(content);
}

std::string text_part(const Content& content) {
  Object part;
  part.add_string("type", "text");
  part.add_string("content", telling(content));
  return part.write();
}

std::string call_part(const RequestedCall& call) {
  Object part;
  part.add_string("type", "tool_call");
  part.add_string("id", call.id);
  part.add_string("name", call.name);
  const auto arguments = json::canonical(telling(call.arguments));
  part.add_json("arguments", arguments ? *arguments : json::write_string(telling(call.arguments)));
  return part.write();
}

std::string message_json(std::string_view role, const std::vector<std::string>& parts) {
  Object object;
  object.add_string("role", role);
  object.add_json("parts", json::write_array(parts));
  return object.write();
}

std::string input_messages(const PromptBundle& bundle) {
  std::vector<std::string> messages;
  for (const BundleMessage& message : bundle.messages) {
    if (compile::is_instruction_role(message.role)) continue;
    std::vector<std::string> parts;
    if (message.role == "tool") {
      Object part;
      part.add_string("type", "tool_call_response");
      part.add_string("id", message.tool_call_id);
      part.add_string("response", telling(message.content));
      parts.push_back(part.write());
    } else {
      const bool is_empty =
          message.content.mode == Content::Mode::full && message.content.text.empty();
      if (!is_empty) parts.push_back(text_part(message.content));
      for (const RequestedCall& call : message.tool_calls) parts.push_back(call_part(call));
    }
    messages.push_back(message_json(message.role, parts));
  }
  return json::write_array(messages);
}

std::string instructions(const PromptBundle& bundle) {
  std::vector<std::string> parts;
  for (const BundleMessage& message : bundle.messages) {
    if (compile::is_instruction_role(message.role)) parts.push_back(text_part(message.content));
  }
  return json::write_array(parts);
}

std::string definitions(const PromptBundle& bundle) {
  std::vector<std::string> tools;
  for (const ToolDeclaration& tool : bundle.tools) {
    Object object;
    object.add_string("type", "function");
    object.add_string("name", tool.name);
    object.add_string("description", telling(tool.description));
    const auto schema = json::canonical(telling(tool.schema));
    if (schema) object.add_json("parameters", *schema);
    tools.push_back(object.write());
  }
  return json::write_array(tools);
}

std::string output_messages(const ModelOutput& output) {
  std::vector<std::string> parts;
  const bool is_empty =
      output.output_raw.mode == Content::Mode::full && output.output_raw.text.empty();
  if (!is_empty) parts.push_back(text_part(output.output_raw));
  for (const RequestedCall& call : output.tool_calls) parts.push_back(call_part(call));
  Object message;
  message.add_string("role", "assistant");
  message.add_json("parts", json::write_array(parts));
  // The schema of the conventions requires the member (gen-ai-output-messages.json).
  message.add_string("finish_reason", is_known(output.finish_reason) ? output.finish_reason : "");
  return json::write_array({message.write()});
}

std::string nanos(std::int64_t micros) { return std::to_string(micros * 1'000); }

struct TraceSpan {
  std::string trace, id, parent, name;
  int kind = kInternal;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::string error;
  std::string attributes;
};

std::string write_span(const TraceSpan& span) {
  Object object;
  object.add_string("traceId", span.trace);
  object.add_string("spanId", span.id);
  if (!span.parent.empty()) object.add_string("parentSpanId", span.parent);
  object.add_string("name", span.name);
  object.add_integer("kind", span.kind);
  object.add_string("startTimeUnixNano", nanos(span.begin));
  object.add_string("endTimeUnixNano", nanos(span.end));
  object.add_json("attributes", span.attributes);
  if (!span.error.empty()) {
    Object status;
    status.add_integer("code", kError);
    status.add_string("message", span.error);
    object.add_json("status", status.write());
  }
  return object.write();
}

std::string write_log(const DecisionEvent& event, std::string_view name, int severity,
                      std::int64_t time, const std::string& span, std::string attributes) {
  Object object;
  object.add_string("timeUnixNano", nanos(time));
  object.add_string("observedTimeUnixNano", nanos(time));
  object.add_integer("severityNumber", severity);
  object.add_string("eventName", name);
  object.add_json("attributes", std::move(attributes));
  object.add_string("traceId", event.trace_id);
  object.add_string("spanId", span);
  return object.write();
}

// A history that no run wrote has a span here that groups its parts.
const std::string& parent_of(const DecisionEvent& event) {
  return event.parent_span_id.empty() ? event.run_span : event.parent_span_id;
}

void add_common(const DecisionEvent& event, Attributes& attributes) {
  attributes.add("gen_ai.conversation.id", event.session.session_id);
  attributes.add("spoor.run_id", event.session.run_id);
  attributes.add("spoor.event_id", event.event_id);
  attributes.add("spoor.commit", event.commit.hex());
  attributes.add("spoor.action_type", std::string(name_of(event.agent_action.type)));
  attributes.add("spoor.capture_mode",
                 std::string(compile::name_of(event.prompt_provenance.capture)));
  attributes.add("spoor.prompt_bundle_hash", event.prompt_provenance.bundle_hash);
}

std::optional<std::int64_t> count_of(const std::optional<std::uint64_t>& count) {
  return count ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

// Returns how long an event took, in microseconds: as measured, else since the last turn.
std::int64_t length_of(const DecisionEvent& event, std::int64_t end) {
  std::optional<std::int64_t> took = event.duration_ms;
  if (event.model_output) took = event.model_output->latency_ms;
  if (took) return *took * 1'000;
  return event.began ? std::max<std::int64_t>(0, end - event.began->micros) : 0;
}

Attributes inference(const DecisionEvent& event) {
  const PromptProvenance& provenance = event.prompt_provenance;
  Attributes attributes;
  attributes.add("gen_ai.operation.name", std::string("chat"));
  attributes.add("gen_ai.provider.name", provider_name(provenance.provider));
  attributes.add("gen_ai.request.model", provenance.model);
  attributes.add("gen_ai.request.max_tokens", provenance.max_tokens);
  attributes.add("gen_ai.request.temperature", provenance.temperature);
  attributes.add("gen_ai.request.top_p", provenance.top_p);
  if (event.model_output) {
    const ModelOutput& output = *event.model_output;
    attributes.add("gen_ai.response.id", output.completion_id);
    attributes.add("gen_ai.response.model", provenance.model);
    if (is_known(output.finish_reason)) {
      attributes.add_value("gen_ai.response.finish_reasons",
                           list_value({text_value(output.finish_reason)}));
    }
    attributes.add("gen_ai.usage.input_tokens", output.input_tokens);
    attributes.add("gen_ai.usage.output_tokens", output.output_tokens);
    attributes.add("gen_ai.usage.cache_read.input_tokens", count_of(output.usage.cached));
    attributes.add("gen_ai.usage.cache_creation.input_tokens",
                   count_of(output.usage.cache_written));
    if (output.cost) attributes.add("spoor.cost_usd", llm::dollars(*output.cost));
    attributes.add("spoor.cost_trust", std::string(trace::name_of(output.cost_trust)));
    attributes.add("spoor.tokens_trust", std::string(trace::name_of(output.trust)));
  }
  attributes.add("error.type", event.error_type);
  attributes.add("spoor.attempts", provenance.attempts);
  add_common(event, attributes);
  return attributes;
}

}  // namespace

std::string_view name_of(OtelEdition edition) { return word_in(kEditions, edition); }

std::optional<OtelEdition> edition_from(std::string_view name) { return value_in(kEditions, name); }

std::string_view schema_url(OtelEdition edition) {
  return edition == OtelEdition::v1_41 ? "https://opentelemetry.io/schemas/1.41.0"
                                       : "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev";
}

OtlpExport::Run& OtlpExport::run_of(const DecisionEvent& event, const std::string& span) {
  const auto [found, is_new] = runs_.try_emplace(span);
  if (is_new) {
    order_.push_back(span);
    found->second.trace = event.trace_id;
    found->second.name = event.session.agent_id;
    found->second.session = event.session.session_id;
    found->second.run_id = event.session.run_id;
    found->second.begin = last_;
  }
  return found->second;
}

void OtlpExport::add(const DecisionEvent& event) {
  const auto time = parse_stored_time(event.timestamp);
  std::int64_t end = time ? time->micros : last_;
  if (event.ended) end = std::max(end, event.ended->micros);
  if (spans_.empty() && runs_.empty())
    last_ = std::max<std::int64_t>(0, end - length_of(event, end));
  if (event.session.environment != EventSession::Environment::unknown) {
    environment_ = name_of(event.session.environment);
  }
  switch (event.kind) {
    case EventKind::completion:
    case EventKind::failed_call: {
      Run& run = run_of(event, event.run_span);
      if (is_known(event.prompt_provenance.provider)) {
        run.provider = event.prompt_provenance.provider;
      }
      run.model = event.prompt_provenance.model;
      run.end = std::max(run.end, end);
      add_completion(event, end);
      break;
    }
    case EventKind::action:
      if (const auto run = runs_.find(event.parent_span_id); run != runs_.end()) {
        run->second.end = std::max(run->second.end, end);
      }
      for (auto& [span, run] : runs_) {
        if (run.run_id == event.session.run_id) run.end = std::max(run.end, end);
      }
      add_action(event, end);
      break;
    case EventKind::end: {
      // A continued run has several ends; one of them has its span.
      const bool has_span = runs_.contains(event.span_id) || !runs_.contains(event.parent_span_id);
      Run& run = run_of(event, has_span ? event.span_id : event.parent_span_id);
      if (has_span) run.parent = event.parent_span_id;
      run.end = std::max(run.end, end);
      run.error = event.error_type;
      run.is_over = true;
      break;
    }
    case EventKind::override_:
      break;
  }
  add_evaluations(event, end);
  last_ = std::max(last_, end);
}

void OtlpExport::add_completion(const DecisionEvent& event, std::int64_t end) {
  Attributes of_span = inference(event);
  Attributes details = of_span;
  if (options_.with_content) {
    // A span has structured values as JSON in a text, a log event has them as they are.
    const auto add = [&](const char* key, const std::string& list) {
      if (list == "[]") return;
      of_span.add_value(key, text_value(list));
      details.add_value(key, any_value_of(list));
    };
    if (const auto& bundle = event.prompt_provenance.bundle) {
      add("gen_ai.system_instructions", instructions(*bundle));
      add("gen_ai.input.messages", input_messages(*bundle));
      add("gen_ai.tool.definitions", definitions(*bundle));
    }
    if (event.model_output) add("gen_ai.output.messages", output_messages(*event.model_output));
  }
  const TraceSpan span{.trace = event.trace_id,
                       .id = event.span_id,
                       .parent = parent_of(event),
                       .name = "chat " + event.prompt_provenance.model,
                       .kind = kClient,
                       .begin = std::max<std::int64_t>(0, end - length_of(event, end)),
                       .end = end,
                       .error = event.error_type,
                       .attributes = of_span.write()};
  spans_.push_back(write_span(span));
  logs_.push_back(write_log(event, "gen_ai.client.inference.operation.details", kDebug, end,
                            event.span_id, details.write()));
}

void OtlpExport::add_action(const DecisionEvent& event, std::int64_t end) {
  Attributes attributes;
  attributes.add("gen_ai.operation.name", std::string("execute_tool"));
  std::string name = kUnknown;
  if (!event.agent_action.tool_results.empty()) {
    const ToolResult& result = event.agent_action.tool_results.front();
    if (is_known(result.name)) name = result.name;
    attributes.add("gen_ai.tool.name", name);
    attributes.add("gen_ai.tool.call.id", result.call_id);
    attributes.add("gen_ai.tool.type", std::string("function"));
    if (options_.with_content) {
      attributes.add("gen_ai.tool.call.arguments", telling(result.arguments));
      attributes.add("gen_ai.tool.call.result", telling(result.output));
    }
  }
  for (const Artifact& artifact : event.agent_action.artifacts) {
    attributes.add("process.exit.code", artifact.exit_code);
  }
  attributes.add("error.type", event.error_type);
  add_common(event, attributes);
  spans_.push_back(write_span({.trace = event.trace_id,
                               .id = event.span_id,
                               .parent = parent_of(event),
                               .name = "execute_tool " + name,
                               .kind = kInternal,
                               .begin = std::max<std::int64_t>(0, end - length_of(event, end)),
                               .end = end,
                               .error = event.error_type,
                               .attributes = attributes.write()}));
}

void OtlpExport::add_evaluations(const DecisionEvent& event, std::int64_t time) {
  const auto add = [&](const std::string& name, CheckStatus status,
                       const std::optional<double>& score, const std::vector<Violation>& found) {
    if (status == CheckStatus::unknown) return;
    Attributes attributes;
    attributes.add("gen_ai.evaluation.name", name);
    attributes.add("gen_ai.evaluation.score.value", score);
    attributes.add("gen_ai.evaluation.score.label", std::string(trace::name_of(status)));
    std::string why;
    for (const Violation& violation : found) {
      why += (why.empty() ? "" : "; ") + violation.id;
      if (options_.with_content) why += ": " + telling(violation.message);
    }
    attributes.add("gen_ai.evaluation.explanation", why);
    if (event.model_output) {
      attributes.add("gen_ai.response.id", event.model_output->completion_id);
    }
    attributes.add("spoor.event_id", event.event_id);
    const bool is_override = event.kind == EventKind::override_;
    logs_.push_back(write_log(event, "gen_ai.evaluation.result", kInfo, time,
                              is_override ? event.parent_span_id : event.span_id,
                              attributes.write()));
  };
  const Evaluation& evaluation = event.evaluation;
  add(event.kind == EventKind::override_ ? "override" : "alignment", evaluation.alignment,
      evaluation.score, evaluation.violations);
  for (const auto* checks : {&evaluation.quality_checks, &evaluation.policy_checks}) {
    for (const CheckResult& check : *checks) {
      add(check.check, check.status, check.score, check.violations);
    }
  }
}

std::string OtlpExport::resource() const {
  Attributes attributes;
  attributes.add("service.name", std::string("spoor"));
  attributes.add("service.version", options_.version);
  attributes.add("deployment.environment.name", environment_);
  Object object;
  object.add_json("attributes", attributes.write());
  return object.write();
}

std::string OtlpExport::scope() const {
  Object object;
  object.add_string("name", "spoor");
  if (!options_.version.empty()) object.add_string("version", options_.version);
  return object.write();
}

std::string OtlpExport::document(const char* of_resources, const char* of_scopes,
                                 const char* of_records,
                                 const std::vector<std::string>& records) const {
  Object scoped;
  scoped.add_json("scope", scope());
  scoped.add_json(of_records, json::write_array(records));
  scoped.add_string("schemaUrl", schema_url(options_.edition));
  Object of_resource;
  of_resource.add_json("resource", resource());
  of_resource.add_json(of_scopes, json::write_array({scoped.write()}));
  of_resource.add_string("schemaUrl", schema_url(options_.edition));
  Object all;
  all.add_json(of_resources, json::write_array({of_resource.write()}));
  return all.write();
}

std::string OtlpExport::traces() const {
  std::vector<std::string> spans;
  for (const std::string& id : order_) {
    const Run& run = runs_.at(id);
    Attributes attributes;
    attributes.add("gen_ai.operation.name", std::string("invoke_agent"));
    attributes.add("gen_ai.provider.name", provider_name(run.provider));
    attributes.add("gen_ai.agent.name", run.name);
    attributes.add("gen_ai.conversation.id", run.session);
    attributes.add("gen_ai.request.model", run.model);
    attributes.add("error.type", run.error);
    attributes.add("spoor.run_id", run.run_id);
    spans.push_back(write_span({.trace = run.trace,
                                .id = id,
                                .parent = run.parent,
                                .name = "invoke_agent " + run.name,
                                .kind = kInternal,
                                .begin = run.begin,
                                .end = std::max(run.begin, run.end),
                                .error = run.error,
                                .attributes = attributes.write()}));
  }
  spans.insert(spans.end(), spans_.begin(), spans_.end());
  return document("resourceSpans", "scopeSpans", "spans", spans);
}

std::string OtlpExport::logs() const {
  return document("resourceLogs", "scopeLogs", "logRecords", logs_);
}

}  // namespace spoor::report
