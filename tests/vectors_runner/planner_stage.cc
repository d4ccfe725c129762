#include "tests/vectors_runner/planner_stage.h"

#include <algorithm>

#include "llm/money.h"
#include "tests/vectors_runner/session.h"

namespace spoor::vectors {
namespace {

llm::Money money(const Json& dollars) {
  const auto read = llm::parse_dollars(dollars.dump());
  if (!read) throw BadVector("no amount of dollars: " + dollars.dump());
  return *read;
}

// The types of a vector's parameters as JSON Schema has them; any for other words.
Json schema_of(const Json& params) {
  static const std::map<std::string, std::string> kTypes = {
      {"str", "string"},   {"string", "string"}, {"int", "integer"},  {"integer", "integer"},
      {"float", "number"}, {"number", "number"}, {"bool", "boolean"}, {"boolean", "boolean"},
      {"list", "array"},   {"array", "array"},   {"dict", "object"},  {"object", "object"},
  };
  Json schema = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
  for (const Json& param : params) {
    Json property = Json::object();
    const auto type = kTypes.find(param.at("type").get<std::string>());
    if (type != kTypes.end()) property["type"] = type->second;
    schema["properties"][param.at("name").get<std::string>()] = property;
    if (param.at("required").get<bool>()) schema["required"].push_back(param.at("name"));
  }
  return schema;
}

agent::ToolResult result_of(const Json& reply) {
  if (reply.contains("tool_error")) return agent::failed(reply.at("tool_error"));
  const Json& value = reply.at("return");
  return value.is_string() ? agent::gave(value) : agent::gave_json(value.dump());
}

}  // namespace

void pass(PlannerStage& stage, const Json& reply, const std::string& who) {
  if (reply.contains("cost_usd")) {
    const bool by_child = reply.value("dedupe", "") == "child";
    stage.tracker.add(
        llm::Cost{money(reply["cost_usd"])},
        {.model = who, .by = by_child ? llm::Booking::By::child : llm::Booking::By::here});
  }
  if (reply.contains("advance_s")) {
    auto now = stage.clock->now();
    now.micros += static_cast<std::int64_t>(reply["advance_s"].get<double>() * 1e6);
    stage.clock->set(now);
  }
}

PlannerModel::PlannerModel(PlannerStage& stage, Json replies)
    : stage_(stage), replies_(std::move(replies)) {
  profile_.name = "vector";
}

llm::Reply PlannerModel::complete(const llm::Request&, const llm::OnEvent&) {
  llm::Reply reply;
  ++stage_.llm_calls;
  if (stage_.purpose == "critic") ++stage_.critic_calls;
  if (left() == 0) {
    stage_.problems.push_back("a call of the model beyond the replies");
    reply.failure = {.kind = llm::Failure::Kind::invalid_request, .message = "no reply is left"};
    return reply;
  }
  const Json& next = replies_[next_++];
  if (next.at("for") != stage_.purpose) {
    stage_.problems.push_back("a call for " + stage_.purpose + ", and the reply is for " +
                              next.at("for").get<std::string>());
  }
  pass(stage_, next, "model");
  if (next.contains("prompt_tokens")) reply.usage.input = next["prompt_tokens"];
  if (next.contains("completion_tokens")) reply.usage.output = next["completion_tokens"];
  if (next.contains("provider_error")) {
    reply.failure = {.kind = llm::Failure::Kind::server, .message = next["provider_error"]};
  } else {
    reply.pieces.push_back({.kind = llm::Piece::Kind::text, .text = next.at("text")});
    reply.finish_reason = "stop";
  }
  return reply;
}

void add_tools(PlannerStage& stage, const Json& tools, agent::Registry& registry) {
  for (const Json& given : tools) {
    agent::Tool tool;
    tool.id = given.at("id");
    tool.description = given.at("description");
    tool.parameters = schema_of(given.at("params")).dump();
    if (given.contains("annotations")) {
      for (const auto& [key, value] : given["annotations"].items()) {
        tool.annotations[key] = value.is_string() ? value.get<std::string>() : value.dump();
      }
    }
    const Json replies = given.value("replies", Json::array({{{"return", nullptr}}}));
    tool.run = [&stage, id = tool.id, replies, calls = std::make_shared<std::size_t>(0)](
                   std::string_view, const agent::ToolContext&) {
      stage.tool_calls.push_back(id);
      const Json& reply = replies[std::min((*calls)++, replies.size() - 1)];
      pass(stage, reply, id);
      return result_of(reply);
    };
    must(registry.add(std::move(tool)));
  }
}

}  // namespace spoor::vectors
