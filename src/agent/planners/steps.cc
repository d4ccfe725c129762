#include "agent/planners/steps.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/reading/json_values.h"
#include "base/json/writer.h"

namespace spoor::agent::planners {
namespace {

using json::Value;
using reading::payload_of;

std::string json_of(const Value& value) {
  std::string text;
  json::append_canonical(text, value);
  return text;
}

void read_rationale(const Value& value, ParsedStep& step) {
  if (!value || value.is(json::Type::null)) return;
  CleanRationale cleaned =
      value.is_string() ? clean_rationale(value.text()) : clean_rationale(value);
  step.rationale = std::move(cleaned.rationale);
  step.dropped = std::move(cleaned.dropped);
}

Result<ParsedStep> read_step(const Value& value) {
  if (!value.is_object()) {
    return invalid(fmt::format("a step is an object, and not a {}", name_of(value.type())));
  }
  const Value action = value.find("action");
  if (!action.is_string() || action.text().empty()) {
    return invalid("'action' is no name of a tool");
  }
  ParsedStep step;
  step.action = action.text();
  step.thought = value.find("thought").text();
  if (const Value input = value.find("action_input")) step.action_input = json_of(input);
  const Value answer = value.find("final_answer");
  if (answer.is_string()) {
    step.final_answer = answer.text();
  } else if (answer && !answer.is(json::Type::null)) {
    step.final_answer = json_of(answer);
  }
  read_rationale(value.find("rationale"), step);
  step.again = value.find("again").is_true();
  return step;
}

}  // namespace

Result<ParsedStep> parse_step(std::string_view reply) {
  const auto payload = TRY(payload_of(reply, "action"));
  return read_step(payload.root());
}

Result<std::vector<ParsedStep>> parse_plan(std::string_view reply) {
  const auto payload = TRY(payload_of(reply, "plan"));
  const Value plan = payload.root().find("plan");
  if (!plan.is_array() || plan.size() == 0) return invalid("'plan' is no list of steps");
  std::vector<ParsedStep> steps;
  for (const Value value : plan.elements()) {
    auto step = read_step(value);
    if (!step) {
      return invalid(fmt::format("step {}: {}", steps.size() + 1, step.error().message));
    }
    steps.push_back(std::move(*step));
  }
  if (steps.back().action != kFinish) return invalid("the plan does not end in 'finish'");
  return steps;
}

std::string join_parts(const std::string& front, const std::string& text,
                       const std::function<bool(const std::string&)>& is_whole) {
  if (front.empty()) return text;
  if (text.starts_with("```")) {
    const std::size_t line_end = std::min(text.find('\n'), text.size() - 1);
    std::string without_fence = front + text.substr(line_end + 1);
    if (is_whole(without_fence)) return without_fence;
  }
  std::string all = front + text;
  return !is_whole(all) && is_whole(text) ? text : all;
}

Result<ParsedVerdict> parse_verdict(std::string_view reply) {
  const auto payload = TRY(payload_of(reply, "verdict"));
  const Value verdict = payload.root().find("verdict");
  if (!verdict.equals("accept") && !verdict.equals("retry")) {
    return invalid("'verdict' is neither 'accept' nor 'retry'");
  }
  return ParsedVerdict{verdict.equals("accept"), payload.root().find("critique").text()};
}

}  // namespace spoor::agent::planners
