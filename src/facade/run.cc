#include <cmath>

#include <nlohmann/json.hpp>

#include "agent/planner.h"
#include "agent/registry.h"
#include "agent/session.h"
#include "facade/access.h"

namespace spoor {
namespace {

agent::Tool inner(const Tool& tool) {
  agent::Tool inner;
  inner.id = tool.id;
  inner.description = tool.description;
  inner.parameters = tool.parameters;
  inner.read_only = tool.read_only;
  if (!tool.run) return inner;  // The registry refuses it.
  inner.run = [run = tool.run](std::string_view arguments, const agent::ToolContext&) {
    const ToolResult result = run(nlohmann::json::parse(arguments));
    return result.is_error ? agent::failed(result.text) : agent::gave(result.text);
  };
  return inner;
}

std::string_view name_of(agent::RunEvent::Kind kind) {
  using Kind = agent::RunEvent::Kind;
  switch (kind) {
    case Kind::started:
      return "started";
    case Kind::asking:
      return "asking";
    case Kind::said:
      return "text";
    case Kind::thought:
      return "reasoning";
    case Kind::waiting:
      return "waiting";
    case Kind::calling:
      return "calling";
    case Kind::printing:
      return "printing";
    case Kind::observed:
      return "observed";
    case Kind::warning:
      return "warning";
    case Kind::ended:
      break;
  }
  return "ended";
}

std::optional<agent::Rationale> reason_of(const std::string& why) {
  return agent::clean_rationale(why).rationale;
}

// A program's planner, as a run asks it.
class InnerPlanner final : public agent::Planner {
 public:
  explicit InnerPlanner(spoor::Planner& outer) : outer_(outer) {}

  std::string name() const override { return outer_.name(); }
  std::string system_prompt(std::string_view tools) const override {
    return outer_.system_prompt(tools);
  }
  void begin(std::string_view goal) override { outer_.begin(goal); }

  Result<Move> step() override {
    spoor::Planner::Move move = TRY(outer_.step());
    if (auto* ask = std::get_if<spoor::Planner::Ask>(&move)) {
      return Move(Ask{std::move(ask->message)});
    }
    if (auto* act = std::get_if<spoor::Planner::Act>(&move)) {
      return Move(Act{.tool = std::move(act->tool),
                      .arguments = std::move(act->arguments),
                      .rationale = reason_of(act->why)});
    }
    auto& stop = std::get<spoor::Planner::Stop>(move);
    return Move(agent::Stop{.reason = std::move(stop.reason),
                            .answer = std::move(stop.answer),
                            .rationale = reason_of(stop.why),
                            .achieves_goal = stop.achieves_goal});
  }

  void observe(const Seen& seen) override {
    outer_.observe({.text = seen.text, .is_error = seen.is_error, .commit = seen.commit});
  }

 private:
  spoor::Planner& outer_;
};

agent::Strategy inner(Strategy strategy) {
  switch (strategy) {
    case Strategy::react:
      return agent::Strategy::react;
    case Strategy::plan_and_execute:
      return agent::Strategy::plan_and_execute;
    case Strategy::reflexion:
      break;
  }
  return agent::Strategy::reflexion;
}

RunResult outer(agent::PlanResult result) {
  RunResult out;
  out.run = std::move(result.run);
  out.stopped = name_of(result.stopped);
  out.by = std::move(result.by);
  out.answer = std::move(result.answer);
  if (result.best) out.best = std::move(result.best->text);
  out.error = result.error.value_or("");
  for (agent::PlanStep& step : result.steps) {
    out.steps.push_back({step.commit, std::move(step.thought), std::move(step.action),
                         std::move(step.action_input), step.observation.value_or(""),
                         step.is_error});
  }
  out.dollars = in_dollars(result.spent.cost);
  return out;
}

}  // namespace

Result<RunResult> Branch::run(std::string_view goal, const Model& model,
                              const RunOptions& options) {
  agent::Registry registry;
  for (const Tool& tool : options.tools) TRY(registry.add(inner(tool)));
  agent::RunOptions inner_options;
  inner_options.registry = &registry;
  inner_options.instructions = options.instructions;
  inner_options.max_steps = options.max_steps;
  if (options.max_dollars) {
    inner_options.budget.max_cost = llm::Money{std::llround(*options.max_dollars * 1e9)};
  }
  inner_options.budget.max_tokens = options.max_tokens;
  inner_options.calling = options.native_calls ? agent::Calling::automatic : agent::Calling::json;
  inner_options.prices = &body_->store->prices;
  inner_options.stop = options.stop;
  if (options.on_event) {
    inner_options.on_event = [&options](const agent::RunEvent& event) {
      using Kind = agent::RunEvent::Kind;
      options.on_event(name_of(event.kind), event.kind == Kind::calling ? event.tool : event.text);
    };
  }
  inner_options.synthesize = options.synthesize;
  agent::Session session(body_->store->repository(), name());
  if (options.planner != nullptr) {
    InnerPlanner planner(*options.planner);
    return outer(
        TRY(agent::run(planner, goal, Access::body(model).candidate(), session, inner_options)));
  }
  return outer(TRY(agent::run(inner(options.strategy), goal, Access::body(model).candidate(),
                              session, inner_options)));
}

}  // namespace spoor
