// Any reply of a model as what the planners read in one: a step names an action and its input is
// JSON, a plan ends with `finish`, and what is malformed says so.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/planners/steps.h"
#include "base/json/reader.h"

using namespace spoor;
using namespace spoor::agent::planners;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

template <class T>
bool is_read(const spoor::Result<T>& result) {
  if (result) return true;
  require(result.error().code == spoor::Error::Code::invalid);
  require(!result.error().message.empty());
  return false;
}

void check(const ParsedStep& step) {
  require(!step.action.empty());
  require(spoor::json::parse(step.action_input).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view reply(reinterpret_cast<const char*>(data), size);
  if (const auto step = parse_step(reply); is_read(step)) check(*step);
  if (const auto plan = parse_plan(reply); is_read(plan)) {
    require(!plan->empty() && plan->back().action == kFinish);
    for (const ParsedStep& step : *plan) check(step);
  }
  is_read(parse_verdict(reply));
  return 0;
}
