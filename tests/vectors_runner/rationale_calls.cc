#include "agent/reading/text_calls.h"
#include "tests/vectors_runner/rationale_kind.h"

namespace spoor::vectors {
namespace {

std::vector<std::string> play_calls(const Json& input, const Json& expect) {
  Json calls = Json::array();
  for (const auto& call : agent::reading::read_text_calls(text_at(input, "text")).calls) {
    Json json = {
        {"name", call.name}, {"arguments", Json::parse(call.arguments)}, {"tier", call.tier}};
    if (call.rationale) json["rationale"] = json_of(*call.rationale);
    calls.push_back(json);
  }
  std::vector<std::string> problems;
  compare(problems, "calls", expect["calls"], calls);
  return problems;
}

}  // namespace

const RationaleKind kCallsKind{"calls", {"text"}, {}, {"calls"}, {}, play_calls};

}  // namespace spoor::vectors
