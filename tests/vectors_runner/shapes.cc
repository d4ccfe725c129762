#include "tests/vectors_runner/shapes.h"

#include "compile/fold.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"

namespace spoor::vectors {
namespace {

using compile::Type;
using store::Op;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const std::vector<compile::ToolCall>& calls) {
  Json list = Json::array();
  for (const compile::ToolCall& call : calls) {
    Json arguments = Json::parse(call.arguments, nullptr, false);
    if (arguments.is_discarded()) arguments = call.arguments;
    list.push_back({{"id", call.id}, {"name", call.name}, {"arguments", arguments}});
  }
  return list;
}

Json json_of(const compile::Message& message) {
  Json json = {{"role", message.role},
               {"type", store::name_of(message.type())},
               {"hash", message.hash().hex()},
               {"content", message.text()},
               {"tool_calls", nullptr},
               {"call_id", nullptr},
               {"name", nullptr},
               {"is_error", nullptr}};
  if (const auto calls = message.tool_calls(); !calls.empty()) json["tool_calls"] = json_of(calls);
  const auto& fields = message.parts.front().fields;
  if (fields) {
    json["call_id"] = text_or_null(fields->call_id);
    json["name"] = text_or_null(fields->name);
  }
  if (message.type() == Type::tool) json["is_error"] = fields && fields->is_error;
  return json;
}

Json settings_of(const std::map<std::string, std::string>& config) {
  Json json = Json::object();
  for (const auto& [key, value] : config) json[key] = parsed(value);
  return json;
}

}  // namespace

Json parsed(const std::string& text) {
  if (text.empty()) return nullptr;
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) throw BadVector("the library wrote what is no JSON: " + shown(text));
  return value;
}

Json json_of(const compile::Conflict& conflict) {
  const bool is_edit = conflict.kind == compile::Conflict::Kind::edit;
  return {{"kind", is_edit ? "edit" : "priority"},
          {"target", conflict.target.hex()},
          {"ours", conflict.ours.hex()},
          {"theirs", conflict.theirs.hex()}};
}

Json json_of(const compile::Prompt& prompt) {
  Json json = {{"contents", Json::array()},  {"roles", Json::array()},
               {"types", Json::array()},     {"hashes", Json::array()},
               {"messages", Json::array()},  {"count", prompt.messages.size()},
               {"tokens", prompt.tokens},    {"config", settings_of(prompt.config)},
               {"conflicts", Json::array()}, {"left_out", Json::array()}};
  for (const compile::Message& message : prompt.messages) {
    const Json one = json_of(message);
    json["contents"].push_back(one["content"]);
    json["roles"].push_back(one["role"]);
    json["types"].push_back(one["type"]);
    json["hashes"].push_back(one["hash"]);
    json["messages"].push_back(one);
  }
  for (const auto& conflict : prompt.conflicts) json["conflicts"].push_back(json_of(conflict));
  for (const auto& left : prompt.left_out) {
    json["left_out"].push_back({{"hash", left.commit.hex()}, {"why", name_of(left.why)}});
  }
  json["openai"] = parsed(llm::wire::openai_chat_messages(prompt));
  json["anthropic"] = parsed(llm::wire::anthropic_body(prompt));
  return json;
}

Json json_of(const graph::PromptDiff& diff) {
  using Kind = graph::MessageChange::Kind;
  Json json = {{"added", Json::array()},
               {"removed", Json::array()},
               {"changed", Json::array()},
               {"unchanged", diff.unchanged},
               {"config", Json::object()}};
  for (const auto& change : diff.messages) {
    if (change.kind == Kind::unchanged) continue;
    const auto& message = change.after != nullptr ? *change.after : *change.before;
    Json one = {{"hash", message.hash().hex()}, {"role", message.role}};
    if (change.kind == Kind::changed) {
      one["before"] = change.before->text();
      one["after"] = change.after->text();
      json["changed"].push_back(one);
    } else {
      one["text"] = message.text();
      json[change.kind == Kind::added ? "added" : "removed"].push_back(one);
    }
  }
  for (const auto& [key, values] : diff.config) {
    json["config"][key] = Json::array({parsed(values.first), parsed(values.second)});
  }
  return json;
}

Result<Json> content_of(const store::Reader& reader, const store::Commit& commit) {
  Json json = Json::object();
  const compile::Fields fields = TRY(compile::fields_of(reader, commit));
  const std::string text = *TRY(compile::text_of(reader, commit));
  if (commit.op == Op::annotate) {
    json["reason"] = text;
    json["priority"] = store::name_of(*commit.priority);
  } else if (commit.type == Type::config) {
    json["set"] = fields.set.empty() ? Json::object() : parsed(fields.set);
  } else if (commit.content) {
    json["text"] = text;
  }
  if (commit.op == Op::edit || commit.op == Op::annotate) {
    json["target"] = commit.target.at(0).hex();
  }
  if (fields.tool_calls) json["tool_calls"] = json_of(*fields.tool_calls);
  if (!fields.name.empty()) json["name"] = fields.name;
  if (commit.type == Type::tool) {
    json["call_id"] = fields.call_id;
    json["is_error"] = fields.is_error;
  }
  if (commit.type == Type::reasoning) json["format"] = fields.format;
  if (!fields.rationale.empty()) json["rationale"] = parsed(fields.rationale);
  return json;
}

Result<std::string> message_of(const store::Reader& reader, const store::Commit& commit) {
  const compile::Extra extra = TRY(compile::extra_of(reader, commit));
  if (!extra.message.empty()) return extra.message;
  return compile::preview(*TRY(compile::text_of(reader, commit)));
}

}  // namespace spoor::vectors
