#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/planners/loops.h"
#include "agent/planners/prompts.h"
#include "agent/planners/step_refs.h"
#include "agent/planners/synthesis.h"
#include "agent/registry.h"
#include "base/json/writer.h"
#include "compile/turn.h"

namespace spoor::agent::planners {
namespace {

using record::Answer;
using record::AnswerContent;
using record::Purpose;

using Plan = std::vector<ParsedStep>;

// A plan and the answer that contains it; or the ending if there is none.
struct Planned {
  Plan steps;
  Answer answer;
  std::optional<Ending> ending;
};

// A step that was carried out.
struct Done {
  std::string action, arguments;
};

bool is_plan(const std::string& text) { return parse_plan(text).has_value(); }

std::size_t steps_without_reason(const Plan& plan) {
  return static_cast<std::size_t>(std::count_if(plan.begin(), plan.end(), [](const auto& step) {
    return step.action != kFinish && !step.rationale;
  }));
}

record::ReadAnswer reader(Context& context) {
  return [&context](const AnswerContent& content) {
    const auto plan = parse_plan(content.text);
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
    return read_reasons(content, intents, {.is_native = false, .thought = thoughts}, known,
                        context.options().rationale);
  };
}

// Asks for plans and carries them out.
class Planning {
 public:
  explicit Planning(Context& context) : context_(context) {}

  Result<Ending> run() {
    const std::int64_t most = context_.options().max_replans;
    std::int64_t replans = 0;
    while (true) {
      Planned planned = TRY(plan());
      if (planned.ending) return std::move(*planned.ending);
      context_.progress.plans.push_back(planned.answer.commit);
      auto ending = TRY(execute(planned));
      if (ending) return std::move(*ending);
      // A step that a person stopped has not failed.
      const bool counts = !context_.is_from(2) || !context_.progress.steps.back().was_stopped;
      if (counts && replans >= most && context_.recorder().heeds_limits()) {
        return Ending{.stopped = Stopped::error,
                      .by = "max_replans",
                      .answer = context_.last_observation(),
                      .error = fmt::format("a step failed, and max_replans ({}) is used up: {}",
                                           most, context_.last_observation().value_or("")),
                      .limit = std::to_string(most),
                      .spent = std::to_string(replans)};
      }
      if (auto stop = context_.must_end()) return std::move(*stop);
      if (counts) ++replans;
      TRY(context_.recorder().decide(executed_ + 1, replan(replans)));
      if (context_.is_from(2)) {
        TRY(context_.recorder().say(executed_ + 1, "replan", told_what_is_done()));
      }
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

  std::string told_what_is_done() const {
    std::vector<DoneStep> steps;
    for (std::size_t i = 0; i < done_.size(); ++i) {
      steps.push_back({done_[i].action, done_[i].arguments, outputs_[i].value_or("(not known)")});
    }
    return replan_prompt(context_.progress.steps.back().action, steps);
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

  // Asks for one plan. Its step is the next one to execute.
  Result<Planned> asked() {
    Planned planned;
    planned.answer = TRY(
        context_.ask_whole(Purpose::plan, executed_ + 1, reader(context_), {.is_whole = is_plan}));
    const AnswerContent& content = planned.answer.content;
    if (planned.answer.failure) {
      planned.ending = context_.failed_call(*planned.answer.failure);
      return planned;
    }
    planned.ending = context_.declined(content);
    if (planned.ending) return planned;
    auto steps = parse_plan(content.text);
    if (steps) {
      planned.steps = std::move(*steps);
    } else if (content.outcome == llm::Outcome::truncated && context_.is_from(2)) {
      planned.ending = context_.too_long(context_.last_observation());
    } else {
      planned.ending = Ending{.stopped = Stopped::error,
                              .by = "malformed",
                              .answer = context_.last_observation(),
                              .error = "the plan is malformed: " + steps.error().message};
    }
    return planned;
  }

  // Returns how many steps at the beginning of a new plan are done already: all that were, if it
  // repeats them in their order, else none.
  std::size_t done_before(const Plan& plan) const {
    if (!context_.is_from(2) || plan.size() <= done_.size()) return 0;
    for (std::size_t i = 0; i < done_.size(); ++i) {
      const auto arguments = resolve_refs(plan[i].action_input, outputs_);
      const bool is_same = arguments && plan[i].action == done_[i].action &&
                           *arguments == done_[i].arguments && !plan[i].again;
      if (!is_same) return 0;
    }
    return done_.size();
  }

  // Returns nullopt if a step failed.
  Result<std::optional<Ending>> execute(const Planned& planned) {
    const std::int64_t most = context_.options().max_steps;
    for (std::size_t i = done_before(planned.steps); i < planned.steps.size(); ++i) {
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
      if (is_finish) return std::optional(TRY(finish(planned.answer, step)));
      if (auto ending = TRY(carry_out(planned, i))) return ending;
      const PlanStep& made = context_.progress.steps.back();
      // Nobody knows what a step did in which the process ended: the plan goes on after it.
      if (made.is_error && !(made.is_unverified && context_.is_from(2))) {
        return std::optional<Ending>();
      }
    }
    return std::optional<Ending>();
  }

  Result<Ending> finish(const Answer& answer, const ParsedStep& step) {
    std::optional<std::string> text = step.final_answer;
    if (context_.is_from(2)) {
      if (text) {
        auto resolved = resolve_refs_in_text(*text, outputs_);
        text = resolved ? std::optional(std::move(*resolved)) : std::nullopt;
      }
      const bool is_asked_for = context_.options().synthesize && executed_ > 0;
      if (!text || is_asked_for) return write_answer(context_, executed_ + 1);
    }
    context_.progress.steps.push_back({.thought = step.thought,
                                       .action = step.action,
                                       .action_input = step.action_input,
                                       .observation = {},
                                       .commit = answer.commit});
    return Ending{
        .stopped = Stopped::goal_achieved, .by = "final_answer", .answer = std::move(text)};
  }

  Result<std::optional<Ending>> carry_out(const Planned& planned, std::size_t index) {
    const ParsedStep& step = planned.steps[index];
    const Call call = call_of(planned, index);
    ++executed_;
    // Recorded so that a resumed run knows whether the step began.
    Decision begun{
        .word = "step-started", .text = compile::preview(step.action), .facts = {}, .about = {}};
    begun.facts.set(fact::call, call.number);
    if (is_tool_id(step.action)) begun.facts.set(fact::tool, step.action);
    // The call as it is made, unless the plan's own commit shows it.
    const bool is_in_plan = call.arguments == step.action_input && !planned.answer.has_parts;
    if (!is_in_plan) begun.call = compile::ToolCall{{}, call.tool, call.arguments};
    const auto decided = TRY(context_.recorder().decide(executed_, std::move(begun)));
    const std::vector<Call> calls = {call};
    auto ending = TRY(context_.act(executed_, step.thought, calls, decided.is_recorded));
    if (ending) return ending;
    const PlanStep& made = context_.progress.steps.back();
    if (made.is_error && !made.is_unverified) return ending;
    done_.push_back({call.tool, call.arguments});
    outputs_.push_back(made.is_error ? std::nullopt : output_of(made));
    return ending;
  }

  // Returns what references to a step stand for.
  std::optional<std::string> output_of(const PlanStep& made) const {
    const Catalogue::Entry* entry = context_.catalogue().find(made.action);
    const bool has_data = entry != nullptr && entry->tool != nullptr && entry->tool->data_of;
    if (!made.observation || !has_data || !context_.is_from(3)) return made.observation;
    const auto text = json::parse(*made.observation);
    if (!text || !text->root().is_string()) return made.observation;
    return json::write_string(entry->tool->data_of(text->root().text()));
  }

  // Returns the call of a step, with its references resolved.
  Call call_of(const Planned& planned, std::size_t index) const {
    const ParsedStep& step = planned.steps[index];
    Call call{.number = static_cast<std::int64_t>(index + 1),
              .tool = step.action,
              .arguments = step.action_input,
              .answer = planned.answer.commit};
    const auto reason = planned.answer.rationale.find(index + 1);
    if (reason != planned.answer.rationale.end()) call.rationale = &reason->second;
    if (!context_.is_from(2)) return call;
    auto resolved = resolve_refs(step.action_input, outputs_);
    if (resolved) {
      call.arguments = std::move(*resolved);
    } else {
      call.problem = resolved.error().message;
    }
    return call;
  }

  Context& context_;
  std::int64_t executed_ = 0;  // Also the number of the last step in the record.
  std::vector<Done> done_;     // The steps that references and new plans rely on,
  StepOutputs outputs_;        // with what each gave.
};

}  // namespace

Result<Ending> plan_loop(Context& context) { return Planning(context).run(); }

}  // namespace spoor::agent::planners
