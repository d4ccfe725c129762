#include "attempts/plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/words.h"

namespace spoor::attempts {
namespace {

constexpr std::array<std::pair<Answers, std::string_view>, 3> kAnswers = {{
    {Answers::recorded, "recorded"},
    {Answers::live, "live"},
    {Answers::deny, "deny"},
}};

void add_if(json::Object& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object.add_string(key, text);
}

Error damaged(const char* what) {
  return corrupt(std::string("the plan of a tree ") + what, "run 'spoor store fsck'");
}

}  // namespace

std::string_view name_of(Answers answers) { return word_in(kAnswers, answers); }

std::optional<Answers> answers_from(std::string_view name) { return value_in(kAnswers, name); }

bool Plan::tries_the_same(const Plan& other) const {
  Plan mine = *this;
  Plan theirs = other;
  for (Plan* each : {&mine, &theirs}) {
    each->limits = {};
    each->line.reset();
    each->tools.clear();
    std::ranges::sort(each->models);
  }
  return mine == theirs;
}

std::string write_expectation(const Expectation& expects) {
  json::Object object;
  add_if(object, "test", expects.test);
  add_if(object, "text", expects.text);
  add_if(object, "judge", expects.judge);
  add_if(object, "rubric", expects.rubric);
  add_if(object, "constraints", expects.constraints);
  return object.write();
}

Expectation read_expectation(const json::Value& object) {
  return {.test = object.find("test").text(),
          .text = object.find("text").text(),
          .judge = object.find("judge").text(),
          .rubric = object.find("rubric").text(),
          .constraints = object.find("constraints").text()};
}

std::string write_plan(const Plan& plan) {
  json::Object object;
  object.add_string("base", plan.base.hex());
  if (plan.line) object.add_string("line", plan.line->hex());
  object.add_string("goal", plan.goal);
  object.add_json("models", json::write_strings(plan.models));
  object.add_integer("count", plan.count);
  object.add_string("answers", name_of(plan.answers));
  std::vector<std::string> tools;
  for (const agent::ToolDefinition& tool : plan.tools) {
    tools.push_back(agent::write_definition(tool));
  }
  if (!tools.empty()) object.add_json("tools", json::write_array(tools));
  add_if(object, "settings", plan.settings);
  add_if(object, "options", plan.options);
  if (plan.window_tokens > 0) object.add_integer("window_tokens", plan.window_tokens);
  if (plan.observations > 0) object.add_integer("observations", plan.observations);
  add_if(object, "changes", plan.changes);
  if (plan.limits.max_cost) {
    object.add_raw_token("max_cost_usd", llm::dollars(*plan.limits.max_cost));
  }
  if (plan.limits.max_tokens) {
    object.add_raw_token("max_tokens", std::to_string(*plan.limits.max_tokens));
  }
  if (plan.limits.max_steps) object.add_integer("max_steps", *plan.limits.max_steps);
  if (!plan.expects.empty()) object.add_json("expects", write_expectation(plan.expects));
  add_if(object, "dataset", plan.dataset);
  if (plan.item) object.add_string("item", plan.item->hex());
  return object.write();
}

Result<Plan> read_plan(std::string_view text) {
  const auto document = json::parse(text);
  if (!document || !document->root().is_object()) return damaged("is not a JSON object");
  const json::Value root = document->root();
  Plan plan;
  const auto base = Oid::from_hex(root.find("base").text());
  if (!base) return damaged("names no commit");
  plan.base = *base;
  if (const auto line = Oid::from_hex(root.find("line").text())) plan.line = *line;
  plan.goal = root.find("goal").text();
  for (const json::Value model : root.find("models").elements()) {
    plan.models.push_back(model.text());
  }
  plan.count = root.find("count").integer().value_or(0);
  if (plan.models.empty() || plan.count < 1 || plan.count > kMostAttempts ||
      plan.attempts() > kMostAttempts) {
    return damaged("has no attempts");
  }
  const auto answers = answers_from(root.find("answers").text());
  if (!answers) return damaged("names an unknown way of answering calls");
  plan.answers = *answers;
  for (const json::Value tool : root.find("tools").elements()) {
    plan.tools.push_back(agent::read_definition(tool));
  }
  plan.settings = root.find("settings").text();
  plan.options = root.find("options").text();
  plan.window_tokens = root.find("window_tokens").integer().value_or(0);
  plan.observations = root.find("observations").integer().value_or(0);
  plan.changes = root.find("changes").text();
  plan.limits.max_cost = llm::parse_dollars(root.find("max_cost_usd").raw());
  if (const auto tokens = root.find("max_tokens").integer()) {
    plan.limits.max_tokens = static_cast<std::uint64_t>(*tokens);
  }
  plan.limits.max_steps = root.find("max_steps").integer();
  plan.expects = read_expectation(root.find("expects"));
  plan.dataset = root.find("dataset").text();
  if (const auto item = Oid::from_hex(root.find("item").text())) plan.item = *item;
  return plan;
}

}  // namespace spoor::attempts
