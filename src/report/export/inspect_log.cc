#include "report/export/inspect_log.h"

#include <algorithm>
#include <optional>

#include "agent/spent_facts.h"
#include "base/json/number.h"
#include "base/json/writer.h"
#include "store/sha256.h"

namespace spoor::report {
namespace {

using guard::check::CheckResult;
using trace::CheckStatus;

std::string time_of(const std::optional<Timestamp>& time) {
  return time.value_or(Timestamp{}).text();
}

void add_count(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& count) {
  if (count) sum = sum.value_or(0) + *count;
}

std::string usage_json(const llm::Usage& usage) {
  const auto integer = [](const std::optional<std::uint64_t>& count) {
    return static_cast<std::int64_t>(count.value_or(0));
  };
  json::Object object;
  object.add_integer("input_tokens", integer(usage.input));
  object.add_integer("output_tokens", integer(usage.output));
  object.add_integer("total_tokens", integer(agent::request_tokens(usage)) + integer(usage.output));
  if (usage.cached) object.add_integer("input_tokens_cache_read", integer(usage.cached));
  if (usage.cache_written) {
    object.add_integer("input_tokens_cache_write", integer(usage.cache_written));
  }
  if (usage.reasoning) object.add_integer("reasoning_tokens", integer(usage.reasoning));
  return object.write();
}

std::string usage_of(const ConversationMessage& message) {
  llm::Usage usage = message.spent.usage;
  usage.raw.clear();
  return usage == llm::Usage() ? std::string() : usage_json(usage);
}

// Returns Inspect's word for why an answer ended.
std::string stop_reason_of(const ConversationMessage& message) {
  const std::string& word = message.finish_reason;
  if (word == "max_tokens" || word == "length") return "max_tokens";
  if (word == "content_filter" || word == "refusal") return "content_filter";
  if (!message.calls.empty()) return "tool_calls";
  return "stop";
}

std::string part(const char* type, const char* key, const std::string& text) {
  json::Object object;
  object.add_string("type", type);
  object.add_string(key, text);
  return object.write();
}

std::string call_json(const compile::ToolCall& call, LeftOut& left_out) {
  json::Object object;
  object.add_string("id", call.id);
  object.add_string("function", call.name);
  object.add_json("arguments", arguments_object(call.arguments, left_out, Layout::as_written));
  object.add_string("type", "function");
  return object.write();
}

std::string message_json(const ConversationMessage& message, LeftOut& left_out) {
  json::Object object;
  object.add_string("id", message.commit.hex(16));
  object.add_string("role", message.role == "developer" ? "system" : message.role);
  if (message.reasoning.empty() && message.pictures.empty()) {
    object.add_string("content", message.text);
  } else {
    std::vector<std::string> parts;
    if (!message.reasoning.empty()) {
      parts.push_back(part("reasoning", "reasoning", message.reasoning));
    }
    if (!message.text.empty()) parts.push_back(part("text", "text", message.text));
    for (const auto& picture : message.pictures) {
      parts.push_back(part("image", "image", data_url(picture)));
    }
    object.add_json("content", json::write_array(parts));
  }
  if (message.is_answer()) {
    object.add_string("source", "generate");
    if (!message.model.empty()) object.add_string("model", message.model);
    if (!message.calls.empty()) {
      std::vector<std::string> calls;
      for (const auto& call : message.calls) calls.push_back(call_json(call, left_out));
      object.add_json("tool_calls", json::write_array(calls));
    }
  } else if (message.role == "tool") {
    object.add_string("tool_call_id", message.call_id);
    object.add_string("function", message.tool);
    if (message.is_error) {
      json::Object error;
      error.add_string("type", "unknown");
      error.add_string("message", message.text);
      object.add_json("error", error.write());
    }
  }
  return object.write();
}

std::string output_json(const ConversationMessage& message, const std::string& as_json) {
  json::Object choice;
  choice.add_json("message", as_json);
  choice.add_string("stop_reason", stop_reason_of(message));
  json::Object output;
  output.add_string("model", message.model);
  output.add_json("choices", json::write_array({choice.write()}));
  output.add_string("completion", message.text);
  if (const std::string usage = usage_of(message); !usage.empty()) {
    output.add_json("usage", usage);
  }
  return output.write();
}

std::string event_json(const ConversationMessage& message, const std::string& output) {
  json::Object event;
  event.add_string("event", "model");
  event.add_string("timestamp", time_of(message.time));
  event.add_integer("working_start", 0);
  event.add_string("model", message.model);
  event.add_json("input", "[]");
  event.add_json("tools", "[]");
  event.add_string("tool_choice", "auto");
  event.add_json("config", "{}");
  event.add_json("output", output);
  return event.write();
}

const char* value_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::pass:
      return "C";
    case CheckStatus::warn:
      return "P";
    case CheckStatus::fail:
      return "I";
    case CheckStatus::unknown:
      break;
  }
  return "N";
}

double number_of(CheckStatus status) {
  constexpr double kHalf = 0.5;
  return status == CheckStatus::pass ? 1 : status == CheckStatus::warn ? kHalf : 0;
}

// Returns the note that a result in force comes from: the last one with such a result.
const guard::check::Judgement* source_of(const CheckResult& result,
                                         const std::vector<guard::check::Judgement>& judgements) {
  const guard::check::Judgement* found = nullptr;
  for (const auto& judgement : judgements) {
    for (const CheckResult& each : judgement.results) {
      if (each.check == result.check) found = &judgement;
    }
  }
  return found;
}

}  // namespace

std::string InspectLog::scores_of(const std::vector<guard::check::Judgement>& judgements) {
  json::Object scores;
  for (const CheckResult& result : guard::check::in_force(judgements)) {
    json::Object score;
    score.add_string("value", value_of(result.status));
    std::string why;
    for (const trace::Violation& violation : result.violations) {
      if (violation.message.has_text()) why += (why.empty() ? "" : "\n") + violation.message.text;
    }
    if (!why.empty()) score.add_string("explanation", why);
    json::Object metadata;
    if (result.score) metadata.add_json("score", json::write_number(*result.score));
    if (const auto* judgement = source_of(result, judgements)) {
      metadata.add_string("judgement", judgement->note.hex());
      if (!judgement->author.empty()) metadata.add_string("author", judgement->author);
    }
    score.add_json("metadata", metadata.write());
    scores.add_json(result.check, score.write());
    if (result.status == CheckStatus::unknown) continue;
    Tally& tally = tallies_[result.check];
    tally.sum += number_of(result.status);
    ++tally.count;
  }
  return scores.empty() ? std::string() : scores.write();
}

void InspectLog::add(const Conversation& conversation, const std::string& id, std::int64_t epoch,
                     const std::vector<guard::check::Judgement>& judgements) {
  while (!names_.emplace(id, epoch).second) ++epoch;
  heads_ += conversation.head.hex() + '\n';
  if (model_.empty()) model_ = conversation.model();
  if (licence_.empty()) licence_ = conversation.licence;
  left_out_.add("tools", conversation.tools.size());

  std::vector<std::string> messages;
  std::vector<std::string> events;
  std::map<std::string, llm::Usage> of_models;
  std::string output;
  std::string input;
  for (const ConversationMessage& message : conversation.messages) {
    const std::string as_json = message_json(message, left_out_);
    messages.push_back(as_json);
    if (message.time && (!first_ || *message.time < *first_)) first_ = message.time;
    if (message.time && (!last_ || *last_ < *message.time)) last_ = message.time;
    if (input.empty() && message.role == "user") input = message.text;
    if (!message.is_answer()) continue;
    output = output_json(message, as_json);
    if (usage_of(message).empty()) continue;
    events.push_back(event_json(message, output));
    for (auto* sums : {&of_models, &usage_}) {
      llm::Usage& sum = (*sums)[message.model.empty() ? "unknown" : message.model];
      const llm::Usage& usage = message.spent.usage;
      add_count(sum.input, usage.input);
      add_count(sum.cached, usage.cached);
      add_count(sum.cache_written, usage.cache_written);
      add_count(sum.output, usage.output);
      add_count(sum.reasoning, usage.reasoning);
    }
  }
  json::Object sample;
  sample.add_string("id", id);
  sample.add_integer("epoch", epoch);
  sample.add_string("input", input);
  sample.add_string("target", "");
  sample.add_json("messages", json::write_array(messages));
  if (!output.empty()) sample.add_json("output", output);
  sample.add_json("events", json::write_array(events));
  if (const std::string scores = scores_of(judgements); !scores.empty()) {
    sample.add_json("scores", scores);
  }
  json::Object usage;
  for (const auto& [model, sum] : of_models) usage.add_json(model, usage_json(sum));
  sample.add_json("model_usage", usage.write());
  json::Object metadata;
  metadata.add_string("agent", conversation.agent);
  metadata.add_string("head", conversation.head.hex());
  metadata.add_string("session", conversation.id);
  if (!conversation.title.empty()) metadata.add_string("title", conversation.title);
  if (!conversation.licence.empty()) metadata.add_string("license", conversation.licence);
  sample.add_json("metadata", metadata.write());
  samples_.push_back(sample.write());
}

std::string InspectLog::results() const {
  std::vector<std::string> scores;
  for (const auto& [check, tally] : tallies_) {
    json::Object accuracy;
    accuracy.add_string("name", "accuracy");
    accuracy.add_json("value", json::write_number(tally.sum / static_cast<double>(tally.count)));
    json::Object score;
    score.add_string("name", check);
    score.add_string("scorer", check);
    score.add_integer("scored_samples", static_cast<std::int64_t>(tally.count));
    score.add_json("metrics", json::write_object("accuracy", accuracy.write()));
    scores.push_back(score.write());
  }
  json::Object results;
  results.add_integer("total_samples", static_cast<std::int64_t>(samples_.size()));
  results.add_integer("completed_samples", static_cast<std::int64_t>(samples_.size()));
  results.add_json("scores", json::write_array(scores));
  return results.write();
}

std::string InspectLog::document() const {
  constexpr std::size_t kIdDigits = 22;
  const std::string id = store::sha256(heads_).hex(kIdDigits);
  json::Object dataset;
  dataset.add_string("name", "spoor");
  dataset.add_integer("samples", static_cast<std::int64_t>(samples_.size()));
  json::Object eval;
  eval.add_string("eval_id", id);
  eval.add_string("run_id", id);
  eval.add_string("task_id", id);
  eval.add_string("created", time_of(first_));
  eval.add_string("task", "spoor");
  eval.add_string("model", model_.empty() ? "unknown" : model_);
  eval.add_json("dataset", dataset.write());
  eval.add_json("config", "{}");
  if (!licence_.empty()) {
    eval.add_json("metadata", json::write_object("license", json::write_string(licence_)));
  }
  json::Object usage;
  for (const auto& [model, sum] : usage_) usage.add_json(model, usage_json(sum));
  json::Object stats;
  stats.add_string("started_at", time_of(first_));
  stats.add_string("completed_at", time_of(last_));
  stats.add_json("model_usage", usage.write());
  // In the order of the fields of EvalLog, which readers of a log's head rely on.
  return R"({"version":2,"status":"success","eval":)" + eval.write() + R"(,"plan":{},"results":)" +
         results() + R"(,"stats":)" + stats.write() + R"(,"samples":)" +
         json::write_array(samples_) + '}';
}

}  // namespace spoor::report
