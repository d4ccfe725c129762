#include "agent/reading/assumptions.h"

#include "tests/vectors_runner/rationale_kind.h"

namespace spoor::vectors {
namespace {

std::vector<std::string> play_assumptions(const Json& input, const Json& expect) {
  Json all = Json::array();
  for (const auto& found :
       agent::reading::read_assumptions(text_at(input, "text"), text_at(input, "thinking"))) {
    all.push_back(
        {{"assumption", found.assumption}, {"why", found.why ? Json(*found.why) : Json()}});
  }
  std::vector<std::string> problems;
  compare(problems, "assumptions", expect["assumptions"], all);
  return problems;
}

}  // namespace

const RationaleKind kAssumptionsKind{"assumptions",   {"text"}, {"thinking"},
                                     {"assumptions"}, {},       play_assumptions};

}  // namespace spoor::vectors
