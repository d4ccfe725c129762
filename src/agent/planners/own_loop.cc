#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "agent/own_planner.h"
#include "agent/planners/loops.h"
#include "agent/planners/prompts.h"
#include "agent/registry.h"
#include "base/json/reader.h"
#include "compile/turn.h"

namespace spoor::agent {

bool is_stop_reason(std::string_view word) {
  const auto is_of_a_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !word.empty() && word.size() <= 64 && std::all_of(word.begin(), word.end(), is_of_a_word);
}

namespace planners {
namespace {

using record::Answer;
using record::Purpose;
using Move = Planner::Move;

Result<Move> next_move(Planner& planner) {
  try {
    return planner.step();
  } catch (const std::exception& error) {
    return unavailable(fmt::format("the planner broke: {}", error.what()));
  }
}

// Makes the moves of a planner.
class Moving {
 public:
  Moving(Context& context, Planner& planner) : context_(context), planner_(planner) {}

  // Makes the move of a step; returns the ending if it is the last.
  Result<std::optional<Ending>> make(std::int64_t step, const Move& move) {
    if (const auto* stop = std::get_if<Stop>(&move)) return std::optional(context_.ended_by(*stop));
    const std::int64_t most = context_.options().max_steps;
    if (step > most && context_.recorder().heeds_limits()) {
      return std::optional(Ending{.stopped = Stopped::max_steps,
                                  .by = "max_steps",
                                  .answer = context_.last_observation(),
                                  .limit = std::to_string(most),
                                  .spent = std::to_string(most)});
    }
    if (const auto* ask = std::get_if<Planner::Ask>(&move)) return asked(step, *ask);
    return acted(step, std::get<Planner::Act>(move));
  }

 private:
  Result<std::optional<Ending>> asked(std::int64_t step, const Planner::Ask& ask) {
    if (!ask.message.empty()) TRY(context_.recorder().say(step, "ask", ask.message));
    const auto read = [this](const record::AnswerContent& content) {
      return read_reasons(content, {}, {.is_native = false, .thought = content.text},
                          context_.known(), false);
    };
    const auto never_whole = [](const std::string&) { return false; };
    // Its purpose is the plan: the calls that follow are steps of it.
    const Answer answer =
        TRY(context_.ask_whole(Purpose::plan, step, read, {.is_whole = never_whole}));
    if (answer.failure) return std::optional(context_.failed_call(*answer.failure));
    if (auto declined = context_.declined(answer.content)) return declined;
    if (answer.content.outcome == llm::Outcome::truncated) {
      return std::optional(context_.too_long(answer.content.text));
    }
    planner_.observe({.text = answer.content.text, .commit = answer.commit});
    return std::optional<Ending>();
  }

  Result<std::optional<Ending>> acted(std::int64_t step, const Planner::Act& act) {
    Decision begun{.word = "step-started",
                   .text = compile::preview(act.tool),
                   .rationale = act.rationale,
                   .facts = {},
                   .about = {}};
    begun.facts.set(fact::call, ++calls_);
    if (is_tool_id(act.tool)) begun.facts.set(fact::tool, act.tool);
    begun.call = compile::ToolCall{{}, act.tool, act.arguments};
    const auto decided = TRY(context_.recorder().decide(step, std::move(begun)));
    Call call{.number = calls_, .tool = act.tool, .arguments = act.arguments};
    call.answer = decided.commit;
    if (act.rationale) call.rationale = &*act.rationale;
    if (auto ending = TRY(context_.act(step, act.thought, {call}, decided.is_recorded))) {
      return ending;
    }
    const PlanStep& made = context_.progress.steps.back();
    const std::string& json = *made.observation;
    const auto document = json::parse(json);
    const bool is_text = document && document->root().is_string();
    planner_.observe({.text = is_text ? document->root().text() : json,
                      .is_error = made.is_error,
                      .is_json = !is_text,
                      .commit = made.commit});
    return std::optional<Ending>();
  }

  Context& context_;
  Planner& planner_;
  std::int64_t calls_ = 0;
};

}  // namespace

Result<Ending> own_loop(Context& context, Planner& planner, std::string_view goal) {
  planner.begin(goal);
  Moving moving(context, planner);
  for (std::int64_t step = 1;; ++step) {
    if (auto ending = context.must_end()) return std::move(*ending);
    const auto move = next_move(planner);
    if (!move) {
      return Ending{.stopped = Stopped::error,
                    .by = "planner",
                    .answer = context.last_observation(),
                    .error = move.error().message};
    }
    if (auto ending = TRY(moving.make(step, *move))) return std::move(*ending);
  }
}

}  // namespace planners
}  // namespace spoor::agent
