#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/planners/loops.h"
#include "agent/planners/prompts.h"
#include "agent/registry.h"
#include "compile/turn.h"

namespace spoor::agent::planners {
namespace {

using record::Answer;
using record::Purpose;
using record::Said;

using Plan = std::vector<ParsedStep>;

// A plan and the answer that contains it; or the ending if there is none.
struct Planned {
  Plan steps;
  Answer answer;
  std::optional<Ending> ending;
};

std::size_t steps_without_reason(const Plan& plan) {
  return static_cast<std::size_t>(std::count_if(plan.begin(), plan.end(), [](const auto& step) {
    return step.action != kFinish && !step.rationale;
  }));
}

record::ReadAnswer reader(Context& context) {
  return [&context](const Said& said) {
    const auto plan = parse_plan(said.text);
    if (!plan) return record::Reading{};
    std::vector<Intent> intents;
    std::string thoughts;
    for (const ParsedStep& step : *plan) {
      // Missing reasons are counted only for the last plan asked for.
      intents.push_back({.tool = step.action,
                         .rationale = step.rationale,
                         .dropped = step.dropped,
                         .needs_reason = false});
      thoughts += step.thought + '\n';
    }
    // A step may cite observations of earlier steps of the plan.
    for (std::size_t i = 0; i < intents.size(); ++i) intents[i].earlier = i;
    KnownRefs known = context.known();
    known.add_observation(context.recorder().observations());
    return read_reasons(said, intents, {.is_native = false, .thought = thoughts}, known,
                        context.options().rationale);
  };
}

// Asks for plans and carries them out.
class Planning {
 public:
  explicit Planning(Context& context) : context_(context) {}

  Result<Ending> run() {
    const std::int64_t most = context_.options().max_replans;
    for (std::int64_t replans = 0;; ++replans) {
      Planned planned = TRY(plan());
      if (planned.ending) return std::move(*planned.ending);
      context_.progress.plans.push_back(planned.answer.commit);
      auto ending = TRY(execute(planned));
      if (ending) return std::move(*ending);
      if (replans >= most && context_.recorder().heeds_limits()) {
        return Ending{.stopped = Stopped::error,
                      .by = "max_replans",
                      .answer = context_.last_observation(),
                      .error = fmt::format("a step failed, and max_replans ({}) is used up: {}",
                                           most, context_.last_observation().value_or("")),
                      .limit = std::to_string(most),
                      .spent = std::to_string(replans)};
      }
      if (auto stop = context_.must_end()) return std::move(*stop);
      TRY(context_.recorder().decide(executed_ + 1, replan(replans + 1)));
    }
  }

 private:
  Decision replan(std::int64_t number) const {
    Decision decision{.word = "replan",
                      .text = context_.last_observation().value_or(""),
                      .facts = {},
                      .about = {}};
    decision.facts.set(fact::n, number);
    return decision;
  }

  // Allows one nudge for an unreadable plan, and one retry for a plan without reasons.
  Result<Planned> plan() {
    Planned planned = TRY(readable_plan());
    if (planned.ending || !context_.options().rationale) return planned;
    const std::size_t missing = steps_without_reason(planned.steps);
    if (missing == 0) return planned;
    TRY(context_.recorder().say(executed_ + 1, "nudge", strict_retry(missing)));
    Planned again = TRY(asked());
    if (again.ending) {
      const bool is_malformed = again.ending->by == "malformed";
      if (!is_malformed) return again;
    } else {
      planned = std::move(again);
    }
    if (const std::size_t still = steps_without_reason(planned.steps); still > 0) {
      Decision event{
          .word = "plan-rationale-missing",
          .text = fmt::format("{} of {} steps have no reason", still, planned.steps.size() - 1),
          .facts = {},
          .about = {planned.answer.commit}};
      event.facts.set(fact::count, static_cast<std::int64_t>(still));
      TRY(context_.recorder().decide(executed_ + 1, std::move(event)));
    }
    return planned;
  }

  Result<Planned> readable_plan() {
    Planned planned = TRY(asked());
    if (!planned.ending || planned.ending->by != "malformed") return planned;
    TRY(context_.recorder().say(executed_ + 1, "nudge", plan_nudge(planned.ending->error)));
    return asked();
  }

  // Makes one planning call. Its step is the next one to execute.
  Result<Planned> asked() {
    Planned planned;
    planned.answer = TRY(context_.ask(Purpose::plan, executed_ + 1, reader(context_)));
    if (planned.answer.failure) {
      planned.ending = context_.failed_call(*planned.answer.failure);
      return planned;
    }
    planned.ending = context_.declined(planned.answer.said);
    if (planned.ending) return planned;
    auto steps = parse_plan(planned.answer.said.text);
    if (steps) {
      planned.steps = std::move(*steps);
    } else {
      planned.ending = Ending{.stopped = Stopped::error,
                              .by = "malformed",
                              .answer = context_.last_observation(),
                              .error = "the plan is malformed: " + steps.error().message};
    }
    return planned;
  }

  // Returns nullopt if a step failed.
  Result<std::optional<Ending>> execute(const Planned& planned) {
    const std::int64_t most = context_.options().max_steps;
    for (std::size_t i = 0; i < planned.steps.size(); ++i) {
      const ParsedStep& step = planned.steps[i];
      const bool is_finish = step.action == kFinish;
      if (!is_finish && executed_ >= most && context_.recorder().heeds_limits()) {
        return std::optional(Ending{.stopped = Stopped::max_steps,
                                    .by = "max_steps",
                                    .answer = context_.last_observation(),
                                    .limit = std::to_string(most),
                                    .spent = std::to_string(executed_)});
      }
      if (auto ending = context_.must_end()) return ending;
      if (is_finish) {
        context_.progress.steps.push_back({.thought = step.thought,
                                           .action = step.action,
                                           .action_input = step.action_input,
                                           .observation = {},
                                           .commit = planned.answer.commit});
        return std::optional(Ending{
            .stopped = Stopped::goal_achieved, .by = "final_answer", .answer = step.final_answer});
      }
      if (auto ending = TRY(carry_out(planned, i))) return ending;
      if (context_.progress.steps.back().is_error) return std::optional<Ending>();
    }
    return std::optional<Ending>();
  }

  Result<std::optional<Ending>> carry_out(const Planned& planned, std::size_t index) {
    const ParsedStep& step = planned.steps[index];
    const auto number = static_cast<std::int64_t>(index + 1);
    ++executed_;
    // Recorded so that a resumed run knows whether the step began.
    Decision begun{
        .word = "step-started", .text = compile::preview(step.action), .facts = {}, .about = {}};
    begun.facts.set(fact::call, number);
    if (is_tool_id(step.action)) begun.facts.set(fact::tool, step.action);
    const auto decided = TRY(context_.recorder().decide(executed_, std::move(begun)));
    Call call{.number = number, .tool = step.action, .arguments = step.action_input};
    call.answer = planned.answer.commit;
    const auto reason = planned.answer.rationale.find(index + 1);
    if (reason != planned.answer.rationale.end()) call.rationale = &reason->second;
    const std::vector<Call> calls = {call};
    return context_.act(executed_, step.thought, calls, decided.is_recorded);
  }

  Context& context_;
  std::int64_t executed_ = 0;
};

}  // namespace

Result<Ending> plan_loop(Context& context) { return Planning(context).run(); }

}  // namespace spoor::agent::planners
