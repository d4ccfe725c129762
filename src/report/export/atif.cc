#include "report/export/atif.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "agent/spent_facts.h"
#include "base/json/reader.h"
#include "base/json/writer.h"

namespace spoor::report {
namespace {

constexpr const char* kVersion = "ATIF-v1.8";

void add_count(json::Object& object, const char* key, const std::optional<std::uint64_t>& count) {
  if (count) object.add_integer(key, static_cast<std::int64_t>(*count));
}

void add_money(json::Object& object, const char* key, const std::optional<llm::Money>& money) {
  if (money) object.add_raw_token(key, dollars(*money));
}

std::string metrics_of(const ConversationMessage& message) {
  const llm::Usage& usage = message.spent.usage;
  json::Object metrics;
  add_count(metrics, "prompt_tokens", agent::request_tokens(usage));
  add_count(metrics, "completion_tokens", usage.output);
  add_count(metrics, "cached_tokens", usage.cached);
  add_money(metrics, "cost_usd", message.cost);
  json::Object extra;
  add_count(extra, "cache_written_tokens", usage.cache_written);
  add_count(extra, "reasoning_tokens", usage.reasoning);
  if (message.spent.trust != trace::Trust::reported && !metrics.empty()) {
    extra.add_string("trust", trace::name_of(message.spent.trust));
  }
  if (!extra.empty()) metrics.add_json("extra", extra.write());
  return metrics.empty() ? std::string() : metrics.write();
}

// Returns true if a string anywhere in a JSON value is `text`.
bool contains_text(const json::Value& value, const std::string& text) {
  if (value.is_string()) return value.equals(text);
  for (const json::Value element : value.elements()) {
    if (contains_text(element, text)) return true;
  }
  for (const json::Member member : value.members()) {
    if (contains_text(member.value, text)) return true;
  }
  return false;
}

std::string first_request(const Conversation& conversation) {
  for (const ConversationMessage& message : conversation.messages) {
    if (message.role == "user") return message.text;
  }
  return {};
}

// A step while its results are collected.
struct Step {
  const ConversationMessage* message = nullptr;
  std::vector<compile::ToolCall> calls;  // With ids.
  std::vector<std::string> results;
};

class Trajectory {
 public:
  Trajectory(const Conversation& conversation, const std::vector<SubAgent>& agents,
             LeftOut& left_out)
      : conversation_(conversation), agents_(agents), left_out_(left_out) {}

  std::string write(const std::string& trajectory_id) {
    for (const ConversationMessage& message : conversation_.messages) {
      left_out_.add(left_out::kPictures, message.pictures.size());
      message.role == "tool" ? add_result(message) : add_message(message);
    }
    json::Object root;
    root.add_string("schema_version", kVersion);
    root.add_string("session_id", conversation_.id);
    if (!trajectory_id.empty()) root.add_string("trajectory_id", trajectory_id);
    root.add_json("agent", agent());
    root.add_json("steps", steps());
    root.add_json("final_metrics", final_metrics());
    root.add_json("extra", extra());
    if (!agents_.empty()) root.add_json("subagent_trajectories", subagents());
    return root.write();
  }

 private:
  void add_message(const ConversationMessage& message) {
    Step step{.message = &message, .calls = message.calls};
    for (const compile::ToolCall& call : step.calls) open_[call.id] = steps_.size();
    steps_.push_back(std::move(step));
  }

  void add_result(const ConversationMessage& message) {
    json::Object result;
    const auto asked = open_.find(message.call_id);
    std::size_t place = 0;
    if (asked != open_.end()) {
      place = asked->second;
      result.add_string("source_call_id", asked->first);
      refer(message, steps_[place], asked->first, result);
    } else {
      left_out_.add(left_out::kOrphans);
      if (steps_.empty()) steps_.emplace_back();
      place = steps_.size() - 1;
    }
    result.add_string("content", message.text);
    json::Object extra;
    extra.add_boolean("is_error", message.is_error);
    if (message.is_error) result.add_json("extra", extra.write());
    steps_[place].results.push_back(result.write());
  }

  // Names the agent that a call started.
  void refer(const ConversationMessage& result, const Step& step, const std::string& call_id,
             json::Object& object) const {
    for (const SubAgent& agent : agents_) {
      bool is_it = !agent.run.empty() && agent.run == result.child_run;
      const std::string request = first_request(agent.conversation);
      for (const compile::ToolCall& call : step.calls) {
        if (is_it || call.id != call_id || request.empty() || !agent.run.empty()) continue;
        const auto arguments = json::parse(call.arguments);
        is_it = arguments && contains_text(arguments->root(), request);
      }
      if (!is_it) continue;
      json::Object reference;
      reference.add_string("trajectory_id", agent.id);
      reference.add_string("session_id", agent.conversation.id);
      object.add_json("subagent_trajectory_ref", json::write_array({reference.write()}));
      return;
    }
  }

  std::string call_json(const compile::ToolCall& call) const {
    json::Object object;
    object.add_string("tool_call_id", call.id);
    object.add_string("function_name", call.name);
    object.add_json("arguments", arguments_object(call.arguments, left_out_, Layout::as_written));
    return object.write();
  }

  std::string step_json(const Step& step, std::size_t number) const {
    json::Object object;
    object.add_integer("step_id", static_cast<std::int64_t>(number));
    if (!step.results.empty()) {
      object.add_json("observation",
                      json::write_object("results", json::write_array(step.results)));
    }
    if (step.message == nullptr) {  // Results before any message.
      object.add_string("source", "system");
      object.add_string("message", "");
      return object.write();
    }
    const ConversationMessage& message = *step.message;
    const bool is_agent = message.is_answer();
    object.add_string("source", is_agent ? "agent" : message.role == "user" ? "user" : "system");
    object.add_string("message", message.text);
    if (message.time) object.add_string("timestamp", message.time->text());
    json::Object extra;
    extra.add_string("commit", message.commit.hex());
    if (message.role == "developer") extra.add_string("role", message.role);
    if (!message.finish_reason.empty()) extra.add_string("finish_reason", message.finish_reason);
    object.add_json("extra", extra.write());
    if (!is_agent) return object.write();
    if (!message.model.empty()) object.add_string("model_name", message.model);
    if (!message.reasoning.empty()) object.add_string("reasoning_content", message.reasoning);
    if (const std::string metrics = metrics_of(message); !metrics.empty()) {
      object.add_json("metrics", metrics);
    }
    if (!step.calls.empty()) {
      std::vector<std::string> calls;
      for (const compile::ToolCall& call : step.calls) calls.push_back(call_json(call));
      object.add_json("tool_calls", json::write_array(calls));
    }
    return object.write();
  }

  std::string steps() const {
    std::vector<std::string> all;
    for (const Step& step : steps_) all.push_back(step_json(step, all.size() + 1));
    return json::write_array(all);
  }

  std::string agent() const {
    json::Object agent;
    agent.add_string("name", conversation_.agent);
    agent.add_string("version",
                     conversation_.agent_version.empty() ? "unknown" : conversation_.agent_version);
    if (const std::string model = conversation_.model(); !model.empty()) {
      agent.add_string("model_name", model);
    }
    if (!conversation_.tools.empty()) {
      agent.add_json("tool_definitions", json::write_array(conversation_.tools));
    }
    return agent.write();
  }

  // The sums are those of the whole line, also of what a summary replaces.
  std::string final_metrics() const {
    const trace::Totals& totals = conversation_.totals;
    json::Object metrics;
    add_count(metrics, "total_prompt_tokens", totals.tokens.sent());
    add_count(metrics, "total_completion_tokens", totals.tokens.output);
    add_count(metrics, "total_cached_tokens", totals.tokens.cached);
    add_money(metrics, "total_cost_usd", totals.cost.money);
    metrics.add_integer("total_steps", static_cast<std::int64_t>(steps_.size()));
    json::Object extra;
    extra.add_string("tokens_trust", trace::name_of(totals.tokens.trust));
    extra.add_string("cost_trust", trace::name_of(totals.cost.trust));
    metrics.add_json("extra", extra.write());
    return metrics.write();
  }

  std::string extra() const {
    json::Object extra;
    extra.add_string("head", conversation_.head.hex());
    if (!conversation_.title.empty()) extra.add_string("title", conversation_.title);
    if (!conversation_.licence.empty()) extra.add_string("license", conversation_.licence);
    return extra.write();
  }

  std::string subagents() const {
    static const std::vector<SubAgent> kNone;
    std::vector<std::string> all;
    for (const SubAgent& agent : agents_) {
      all.push_back(Trajectory(agent.conversation, kNone, left_out_).write(agent.id));
    }
    return json::write_array(all);
  }

  const Conversation& conversation_;
  const std::vector<SubAgent>& agents_;
  LeftOut& left_out_;
  std::vector<Step> steps_;
  std::map<std::string, std::size_t> open_;  // Calls, by their ids, to the last step with them.
};

}  // namespace

std::string atif_document(const Conversation& conversation, const std::vector<SubAgent>& agents,
                          LeftOut& left_out) {
  return Trajectory(conversation, agents, left_out).write({});
}

}  // namespace spoor::report
