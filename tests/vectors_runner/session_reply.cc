#include "llm/commit_reply.h"
#include "llm/wire/reply_parser.h"
#include "tests/vectors_runner/session.h"

namespace spoor::vectors {
namespace {

// Arguments are the provider's own text in the library, and any JSON here: text that is none stays.
Json arguments_of(const std::string& text) {
  Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

Json json_of(const llm::Reply& reply) {
  Json json = {{"text", reply.text()},
               {"reasoning", nullptr},
               {"format", nullptr},
               {"tool_calls", Json::array()}};
  if (const auto reasoning = reply.reasoning()) {
    json["reasoning"] = *reasoning;
    json["format"] = reply.format;
  }
  for (const compile::ToolCall& call : reply.calls()) {
    json["tool_calls"].push_back(
        {{"id", call.id}, {"name", call.name}, {"arguments", arguments_of(call.arguments)}});
  }
  return json;
}

}  // namespace

Result<Json> Session::extract(const Json& op) {
  return json_of(llm::wire::read_reply(op["response"].dump()));
}

Result<Json> Session::ingest(const Json& op) {
  const llm::Reply reply = llm::wire::read_reply(op["response"].dump());
  const bool is_wanted = op.contains("reasoning") ? op["reasoning"].get<bool>() : true;
  const llm::ReplyOrigin origin{
      .provider = {},
      .model = {},
      .prompt = {},
      .commit_reasoning = is_wanted && must(repository_->commits_reasoning())};
  return write("ingest", [&](graph::Draft& draft, const auto& ref) -> Result<Json> {
    const auto committed =
        TRY(llm::commit_reply(draft, ref, reply, origin, repository_->author(), clock_->now()));
    Json json = json_of(reply);
    json["commit"] = committed.answer.hex();
    json["reasoning_commit"] = nullptr;
    if (committed.reasoning) json["reasoning_commit"] = committed.reasoning->hex();
    return json;
  });
}

}  // namespace spoor::vectors
