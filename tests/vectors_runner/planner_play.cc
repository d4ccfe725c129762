#include "tests/vectors_runner/planner_play.h"

#include <algorithm>
#include <optional>

#include "agent/planner.h"
#include "graph/repository.h"
#include "tests/vectors_runner/planner_stage.h"
#include "tests/vectors_runner/session.h"

namespace spoor::vectors {
namespace {

using agent::PlanResult;

agent::ToolSelection selection_of(PlannerStage& stage, const Json& tools) {
  if (tools.is_object()) {
    const std::vector<std::string> ids = tools.at("callable");
    return std::function<std::vector<std::string>()>([&stage, ids] {
      ++stage.callable_calls;
      return ids;
    });
  }
  const std::string text = tools.dump();
  const auto document = must(json::parse(text));
  return must(agent::read_tool_selection(document.root()));
}

agent::ToolFilter filter_of(const Json& filter) {
  if (filter.is_null()) return std::monostate();
  if (filter.is_string()) return filter.get<std::string>();
  const Json& predicate = filter.at("predicate");
  return std::function<bool(const agent::Tool&)>([predicate](const agent::Tool& tool) {
    if (predicate == "never") return false;
    const auto found = tool.annotations.find(predicate.at("annotation"));
    return found != tool.annotations.end() &&
           found->second.find(predicate.at("contains").get<std::string>()) != std::string::npos;
  });
}

agent::RunOptions options_of(PlannerStage& stage, const Json& given) {
  agent::RunOptions options;
  options.calling = agent::Calling::json;
  options.tracker = &stage.tracker;
  options.max_steps = given.value("max_steps", options.max_steps);
  options.max_replans = given.value("max_replans", options.max_replans);
  options.max_outer_iterations = given.value("max_outer_iterations", options.max_outer_iterations);
  if (given.contains("max_cost_usd")) {
    options.budget.max_cost = llm::parse_dollars(given["max_cost_usd"].dump());
  }
  if (given.contains("max_tokens")) options.budget.max_tokens = given["max_tokens"];
  if (given.contains("max_wall_time_s")) {
    options.budget.max_wall_time = std::chrono::microseconds(
        static_cast<std::int64_t>(given["max_wall_time_s"].get<double>() * 1e6));
  }
  if (given.contains("tools")) options.tools = selection_of(stage, given["tools"]);
  if (given.contains("tool_filter")) options.tool_filter = filter_of(given["tool_filter"]);
  if (given.contains("tracker_start")) {
    const Json& start = given["tracker_start"];
    pass(stage, {{"cost_usd", start.value("usd", 0.0)}}, "before");
    llm::Usage usage;
    usage.input = start.value("tokens", std::uint64_t{0});
    stage.tracker.add(usage, llm::Cost{}, {.model = "before"});
  }
  options.on_event = [&stage](const agent::RunEvent& event) {
    if (event.kind == agent::RunEvent::Kind::asking) stage.purpose = event.text;
  };
  return options;
}

// One played vector, and what differs.
class Played {
 public:
  Played(const PlannerStage& stage, const PlanResult& result, const compile::Prompt& prompt)
      : stage_(stage), result_(result), prompt_(prompt) {}

  std::vector<std::string> differences(const Json& expect) {
    for (const auto& [key, value] : expect.items()) check(key, value);
    const bool should_have_error = expect.at("stopped") == "error";
    if (result_.error.has_value() != should_have_error) {
      differ("error", should_have_error, result_.error.value_or("null"));
    }
    return std::move(problems_);
  }

 private:
  void check(const std::string& key, const Json& expected) {
    if (key == "stopped") return same(key, expected, std::string(name_of(result_.stopped)));
    if (key == "strategy") return same(key, expected, std::string(name_of(result_.strategy)));
    if (key == "answer") return same(key, expected, answer());
    if (key == "answer_json") {
      return same(key, expected, Json::parse(result_.answer.value_or(""), nullptr, false));
    }
    if (key == "error_contains") return holds(key, expected, result_.error.value_or(""));
    if (key == "steps") return check_steps(expected);
    if (key == "llm_calls") return same(key, expected, stage_.llm_calls);
    if (key == "critic_calls") return same(key, expected, stage_.critic_calls);
    if (key == "callable_calls") return same(key, expected, stage_.callable_calls);
    if (key == "plans_count") return same(key, expected, result_.plans.size());
    if (key == "tool_calls") return same(key, expected, stage_.tool_calls);
    if (key == "warnings") return same(key, expected, result_.warnings.size());
    if (key == "critiques") return same(key, expected, critiques());
    if (key == "catalogue") return same(key, expected, catalogue(false));
    if (key == "unregistered") return same(key, expected, catalogue(true));
    if (key == "session_contains") return check_contains(expected);
    if (key == "session_excludes") return check_excludes(expected);
    problems_.push_back("unknown expectation " + key);
  }

  Json answer() const { return result_.answer ? Json(*result_.answer) : Json(); }

  Json critiques() const {
    Json all = Json::array();
    for (const agent::Critique& critique : result_.critiques) {
      all.push_back(
          {{"verdict", critique.accepts ? "accept" : "retry"}, {"critique", critique.critique}});
    }
    return all;
  }

  // What the model is told there is: the lines of the system prompt.
  Json catalogue(bool only_unregistered) const {
    constexpr std::string_view kUnregistered = " (unregistered)";
    Json ids = Json::array();
    for (const compile::Message& message : prompt_.messages) {
      if (message.role != "system") continue;
      const std::string text = message.text();
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        if (!line.starts_with("- ")) continue;
        line.erase(0, 2);
        const bool is_unregistered = line.ends_with(kUnregistered);
        if (is_unregistered) line.resize(line.size() - kUnregistered.size());
        if (!is_unregistered) line.resize(std::min(line.size(), line.find(": ")));
        if (is_unregistered || !only_unregistered) ids.push_back(line);
      }
    }
    return ids;
  }

  void check_steps(const Json& expected) {
    same("steps", expected.size(), result_.steps.size());
    if (expected.size() != result_.steps.size()) return;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const agent::PlanStep& step = result_.steps[i];
      const std::string where = "steps[" + std::to_string(i) + "].";
      const Json observation = step.observation ? Json::parse(*step.observation) : Json();
      for (const auto& [key, value] : expected[i].items()) {
        if (key == "thought") same(where + key, value, step.thought);
        if (key == "action") same(where + key, value, step.action);
        if (key == "action_input") same(where + key, value, Json::parse(step.action_input));
        if (key == "observation") same(where + key, value, observation);
        if (key == "observation_prefix") {
          const bool begins = observation.is_string() &&
                              observation.get<std::string>().starts_with(value.get<std::string>());
          if (!begins) differ(where + key, value, observation);
        }
      }
    }
  }

  void check_contains(const Json& expected) {
    for (const Json& wanted : expected) {
      const bool is_there = std::any_of(
          prompt_.messages.begin(), prompt_.messages.end(), [&](const compile::Message& message) {
            return message.role == wanted.at("role").get<std::string>() &&
                   message.text().find(wanted.at("text").get<std::string>()) != std::string::npos;
          });
      if (!is_there) differ("session_contains", wanted, "no such message");
    }
  }

  void check_excludes(const Json& expected) {
    for (const Json& text : expected) {
      for (const compile::Message& message : prompt_.messages) {
        if (message.text().find(text.get<std::string>()) != std::string::npos) {
          differ("session_excludes", text, message.text());
        }
      }
    }
  }

  void same(const std::string& key, const Json& expected, const Json& got) {
    if (expected != got) differ(key, expected, got);
  }

  void holds(const std::string& key, const Json& expected, const std::string& got) {
    if (got.find(expected.get<std::string>()) == std::string::npos) differ(key, expected, got);
  }

  void differ(const std::string& key, const Json& expected, const Json& got) {
    problems_.push_back(key + ": expected " + shown(expected) + ", got " + shown(got));
  }

  const PlannerStage& stage_;
  const PlanResult& result_;
  const compile::Prompt& prompt_;
  std::vector<std::string> problems_;
};

// The run itself, or the code of the error that refused it.
std::variant<PlanResult, std::string> attempt(PlannerStage& stage, PlannerModel& model,
                                              agent::Session& session,
                                              const agent::Registry& registry, const Json& vector) {
  const Json& given = vector.at("options");
  if (given.contains("tools") && !given["tools"].is_object()) {
    const std::string text = given["tools"].dump();
    const auto document = must(json::parse(text));
    const auto selection = agent::read_tool_selection(document.root());
    if (!selection) return std::string(name_of(selection.error().code));
  }
  agent::RunOptions options = options_of(stage, given);
  options.registry = &registry;
  const auto strategy = agent::strategy_from(vector.at("planner").get<std::string>());
  if (!strategy) throw BadVector("unknown planner " + shown(vector.at("planner")));
  const llm::Candidate candidate{&model, "model", {}, {}};
  auto ran =
      agent::run(*strategy, given.at("goal").get<std::string>(), candidate, session, options);
  if (!ran) return std::string(name_of(ran.error().code));
  return std::move(*ran);
}

}  // namespace

std::vector<std::string> play_planner(testing::Backend& backend, const Json& vector) {
  PlannerStage stage;
  graph::Repository::Options options;
  options.author = "vector";
  options.clock = stage.clock;
  options.counter = std::make_shared<testing::WordCounter>();
  const auto repository = must(graph::Repository::over(must(backend.create()), std::move(options)));
  agent::Session session(*repository, "main");
  agent::Registry registry;
  add_tools(stage, vector.at("tools"), registry);
  PlannerModel model(stage, vector.at("model_replies"));

  const auto ran = attempt(stage, model, session, registry, vector);
  const Json& expect = vector.at("expect");
  std::vector<std::string> problems;
  if (const auto* code = std::get_if<std::string>(&ran)) {
    if (expect.value("error_code", "") != *code) problems.push_back("refused: " + *code);
    if (stage.llm_calls != 0) problems.push_back("refused after a call of the model");
    return problems;
  }
  if (expect.contains("error_code")) return {"was not refused"};
  const compile::Prompt prompt = must(session.branch().compile());
  problems = Played(stage, std::get<PlanResult>(ran), prompt).differences(expect);
  problems.insert(problems.end(), stage.problems.begin(), stage.problems.end());
  if (model.left() != 0) {
    problems.push_back(std::to_string(model.left()) + " replies of the model are left");
  }
  return problems;
}

}  // namespace spoor::vectors
