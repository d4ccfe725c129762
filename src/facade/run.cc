#include "agent/own_planner.h"
#include "agent/planner.h"

#include <variant>

#include "agent/rationales.h"
#include "agent/record/recording.h"
#include "agent/runs.h"
#include "agent/session.h"
#include "facade/run_setup.h"

namespace spoor {
namespace {

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

// Adds what the record knows of a step: the answer that asked for it, the reason, and what the call
// started and cost.
Result<void> read_record(const store::Reader& reader, Step& step) {
  const compile::Turn result = TRY(graph::read_turn(reader, step.commit));
  step.started = result.facts.get(fact::subrun);
  if (const auto cost = llm::parse_dollars(result.facts.get(fact::cost_usd));
      cost && result.type != store::Type::assistant) {
    step.dollars = in_dollars(*cost);
  }
  Id at = step.commit;
  auto commit = TRY(reader.commit(at));
  while (commit->type != store::Type::assistant) {
    if (commit->parents.empty()) return {};
    at = commit->parents.front();
    commit = TRY(reader.commit(at));
  }
  step.answer = at;
  const compile::Turn answer = TRY(graph::read_turn(reader, at));
  const auto reasons = agent::read_rationales(answer.fields.rationale);
  const auto number = static_cast<std::size_t>(result.facts.get(fact::call).value_or(0));
  if (const auto found = reasons.find(number); found != reasons.end()) {
    step.why = found->second.why;
  }
  return {};
}

Result<RunResult> outer(const store::Reader& reader, agent::PlanResult result) {
  RunResult out;
  out.run = std::move(result.run);
  out.stopped = name_of(result.stopped);
  out.by = std::move(result.by);
  out.answer = std::move(result.answer);
  if (result.best) out.best = std::move(result.best->text);
  out.error = result.error.value_or("");
  for (agent::PlanStep& step : result.steps) {
    Step& added = out.steps.emplace_back();
    added.commit = step.commit;
    added.thought = std::move(step.thought);
    added.action = std::move(step.action);
    added.input = std::move(step.action_input);
    added.observation = step.observation.value_or("");
    added.is_error = step.is_error;
    TRY(read_record(reader, added));
  }
  out.dollars = in_dollars(result.spent.cost);
  out.tokens = result.spent.tokens();
  out.is_cost_known = result.spent.is_cost_exact();
  out.waits_for = std::move(result.waits_for);
  out.waits_with = std::move(result.waits_with);
  return out;
}

}  // namespace

Result<RunResult> Branch::run(std::string_view goal, const Model& model,
                              const RunOptions& options) {
  const auto setup = TRY(RunSetup::make(options, model, body_->store, name()));
  graph::Repository& repository = body_->store->repository();
  agent::Session session(repository, name());
  if (options.planner != nullptr) {
    InnerPlanner planner(*options.planner);
    return outer(repository.reader(), TRY(agent::run(planner, goal, Access::body(model).candidate(),
                                                     session, setup->inner)));
  }
  return outer(repository.reader(),
               TRY(agent::run(inner(options.strategy), goal, Access::body(model).candidate(),
                              session, setup->inner)));
}

Result<RunResult> Branch::resume(std::string_view run, const Model& model,
                                 const RunOptions& options, std::optional<Approval> approval) {
  const auto setup = TRY(RunSetup::make(options, model, body_->store, name()));
  graph::Repository& repository = body_->store->repository();
  const std::string id = TRY(agent::find_run(repository, run)).id;
  const auto header = TRY(agent::record::read_header(repository, id));
  agent::RunOptions recorded;
  TRY(agent::read_options(header.options, recorded));
  setup->inner.tools = recorded.tools;
  setup->inner.calling = recorded.calling;
  setup->inner.instructions = recorded.instructions;

  agent::ResumeOptions how;
  if (approval) {
    how.approval = approval->allows;
    how.reason = std::move(approval->reason);
  }
  agent::Session session(repository, name(), TRY(agent::session_options_of(header)));
  return outer(repository.reader(),
               TRY(agent::resume(id, Access::body(model).candidate(), session, setup->inner, how)));
}

}  // namespace spoor
