#include "attempts/recorded_tools.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/dispatch.h"
#include "agent/record/answer_facts.h"
#include "agent/registry.h"
#include "attempts/tree.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/sent_prompt.h"
#include "llm/tool_spec.h"
#include "store/ancestry.h"
#include "trace/deriver.h"

namespace spoor::attempts {
namespace {

constexpr std::string_view kMissing = "no result is recorded for this call";
constexpr std::string_view kDenied = "tool calls are refused in this attempt";
constexpr std::string_view kRule = "attempt.deny";

std::string canonical_arguments(std::string_view arguments) {
  auto canonical = json::canonical(arguments.empty() ? "{}" : arguments);
  return canonical ? *canonical : std::string(arguments);
}

const char* type_of(const json::Value& value) {
  switch (value.type()) {
    case json::Type::boolean:
      return "boolean";
    case json::Type::number:
      return "number";
    case json::Type::array:
      return "array";
    case json::Type::object:
      return "object";
    case json::Type::string:
    case json::Type::null:
      break;
  }
  return "string";
}

std::string schema_of(const std::map<std::string, std::string>& arguments) {
  json::Object properties;
  for (const auto& [name, type] : arguments) {
    properties.add_json(name, json::write_object("type", json::write_string(type)));
  }
  json::Object schema;
  schema.add_string("type", "object");
  schema.add_json("properties", properties.write());
  return schema.write();
}

// Returns a tool as a provider was told of it; nullopt for one whose arguments are a plain text.
std::optional<agent::ToolDefinition> definition_of(const llm::ToolSpec& tool) {
  if (tool.parameters.empty() || !agent::is_tool_id(tool.name)) return std::nullopt;
  agent::ToolDefinition definition{
      .id = tool.name, .description = tool.description, .parameters = tool.parameters};
  agent::Registry registry;  // Refuses a schema that the agent cannot check calls by.
  const auto never = [](std::string_view, const agent::ToolContext&) { return agent::gave(""); };
  if (!registry.add(agent::make_tool(definition, never))) {
    definition.parameters = R"({"type":"object"})";
  }
  return definition;
}

}  // namespace

Result<RecordedResults> recorded_results(const graph::Repository& repository, const Oid& base,
                                         const Oid& line) {
  RecordedResults results;
  const auto forked = TRY(repository.reader().commit(base))->depth;
  TRY(trace::derive(repository, {}, line, [&](const trace::Step& step) -> Result<void> {
    const auto* call = std::get_if<trace::Call>(&step.what);
    if (call == nullptr || !call->result) return {};
    if (call->outcome == trace::Outcome::refused) return {};
    compile::FactsView facts;
    TRY(facts.read(call->result->commit->meta));
    if (facts.get(fact::unverified) || facts.get(fact::was_stopped)) return {};
    RecordedResults::Call key{call->tool, canonical_arguments(call->asked.arguments)};
    if (call->result->commit->depth > forked) {
      results.after[std::move(key)].push_back(call->result->oid);
    } else {
      results.before.insert_or_assign(std::move(key), call->result->oid);
    }
    return {};
  }));
  return results;
}

Result<std::vector<agent::ToolDefinition>> tools_sent(const graph::Repository& repository,
                                                      const Oid& line) {
  std::vector<agent::ToolDefinition> tools;
  const auto request = TRY(llm::last_captured_request(repository, line));
  if (!request) return tools;
  const auto sent = TRY(llm::sent_prompt(repository, request->note));
  const auto body = json::parse(sent.body);
  if (!body) return tools;
  for (const json::Value& declared : llm::declared_tools(body->root())) {
    const auto tool = llm::read_tool(declared);
    auto definition = tool ? definition_of(*tool) : std::nullopt;
    if (definition) tools.push_back(std::move(*definition));
  }
  return tools;
}

Result<std::vector<agent::ToolDefinition>> tools_called(const graph::Repository& repository,
                                                        const Oid& line) {
  std::map<std::string, std::map<std::string, std::string>> called;  // Tool to arguments to type.
  TRY(trace::derive(repository, {}, line, [&](const trace::Step& step) -> Result<void> {
    const auto* call = std::get_if<trace::Call>(&step.what);
    if (call == nullptr || !agent::is_tool_id(call->tool)) return {};
    auto& arguments = called[call->tool];
    const auto document = json::parse(call->asked.arguments);
    if (!document) return {};
    for (const json::Member member : document->root().members()) {
      arguments.insert_or_assign(member.key.text(), type_of(member.value));
    }
    return {};
  }));
  std::vector<agent::ToolDefinition> tools;
  tools.reserve(called.size());
  for (const auto& [name, arguments] : called) {
    tools.push_back({.id = name,
                     .description = fmt::format("The tool '{}' of this conversation.", name),
                     .parameters = schema_of(arguments)});
  }
  return tools;
}

RecordedTools::RecordedTools(const graph::Repository& repository, const RecordedResults& results,
                             Answers answers)
    : repository_(repository), results_(results), answers_(answers) {}

Result<void> RecordedTools::make(const std::vector<agent::ToolDefinition>& tools,
                                 agent::Registry& registry) {
  for (const agent::ToolDefinition& definition : tools) {
    agent::Tool tool = agent::make_tool(
        definition,
        [this, id = definition.id](std::string_view arguments, const agent::ToolContext&) {
          return answer(id, arguments);
        });
    tool.read_only = false;  // One after the other, so that equal calls get their results in order.
    tool.continues = true;   // After a kill it is simply answered again.
    TRY(registry.add(std::move(tool)));
  }
  return {};
}

agent::Gate::Verdict RecordedTools::before(const agent::Tool& /*tool*/,
                                           std::string_view /*arguments*/) {
  if (answers_ != Answers::deny) return {};
  return {.allows = false, .why = std::string(kDenied), .rule = std::string(kRule)};
}

void RecordedTools::after(std::string_view tool, std::string_view arguments,
                          const agent::ToolResult& result) {
  if (result.facts.get(fact::recorded_from).empty()) {
    has_left_ = has_left_ || result.text == kMissing;
    return;
  }
  ++used_[{std::string(tool), canonical_arguments(arguments)}];
}

std::optional<agent::Stop> RecordedTools::stop() const {
  if (!has_left_) return std::nullopt;
  return agent::Stop{.reason = std::string(kNoRecordedResult), .achieves_goal = false};
}

agent::ToolResult RecordedTools::answer(const std::string& tool, std::string_view arguments) {
  const RecordedResults::Call call{tool, canonical_arguments(arguments)};
  std::optional<Oid> from;
  if (const auto after = results_.after.find(call); after != results_.after.end()) {
    const auto used = used_.find(call);
    const std::size_t next = used == used_.end() ? 0 : used->second;
    from = after->second[std::min(next, after->second.size() - 1)];
  } else if (const auto before = results_.before.find(call); before != results_.before.end()) {
    from = before->second;
  }
  if (!from) return agent::failed(std::string(kMissing));
  const auto turn = graph::read_turn(repository_.reader(), *from);
  if (!turn) return agent::failed("the recorded result cannot be read: " + turn.error().message);
  agent::ToolResult result = agent::record::observed_of(*turn, 0, 0).result;
  result.facts = {};
  result.facts.set(fact::recorded_from, from->hex());
  result.attach.clear();
  return result;
}

}  // namespace spoor::attempts
