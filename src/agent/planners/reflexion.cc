#include <utility>

#include <fmt/format.h>

#include "agent/planners/loops.h"
#include "agent/planners/prompts.h"

namespace spoor::agent::planners {
namespace {

using record::Answer;
using record::Purpose;

constexpr std::size_t kMaxShown = 2'000;  // Bytes shown of each observation.

std::string cut(const std::string& text) {
  if (text.size() <= kMaxShown) return text;
  return fmt::format("{}… ({} bytes in all)", text.substr(0, kMaxShown), text.size());
}

// Returns the text that the critic judges: goal, steps, answer.
std::string case_of(std::string_view goal, const std::vector<PlanStep>& steps,
                    const Ending& ending) {
  std::string text = fmt::format("Goal: {}\n\nSteps:\n", goal);
  std::size_t number = 0;
  for (const PlanStep& step : steps) {
    text += fmt::format("{}. {} {}\n", ++number, step.action, cut(step.action_input));
    if (!step.thought.empty()) text += fmt::format("   thought: {}\n", cut(step.thought));
    if (step.observation) text += fmt::format("   gave: {}\n", cut(*step.observation));
  }
  if (steps.empty()) text += "none\n";
  text += fmt::format("\nIt ended with: {}\n", name_of(ending.stopped));
  text += fmt::format("Answer: {}\n", ending.answer.value_or("(none)"));
  return text;
}

bool is_final(Stopped stopped) {
  return stopped != Stopped::goal_achieved && stopped != Stopped::max_steps;
}

// A verdict, or the ending if there is none.
struct Judged {
  Critique critique;
  std::optional<Ending> ending;
};

bool is_verdict(const std::string& text) { return parse_verdict(text).has_value(); }

// Asks for one critique: a separate conversation, with at most one nudge.
Result<Judged> judge(Context& context, std::int64_t step, std::string text, const Ending& inner) {
  Judged judged;
  std::string mark = "case";
  std::int64_t told = 0;  // Messages to the critic about this case.
  const auto tell = [&](std::string_view as, std::string what) -> Result<void> {
    ++told;
    TRY(context.recorder().tell_critic(step, build_critic_prompt(), as, std::move(what)));
    return {};
  };
  const Context::Parts parts{.is_whole = is_verdict,
                             .go_on = [&] { return tell("nudge", continue_nudge()); },
                             .window = [&] { return told; }};
  while (true) {
    TRY(tell(mark, std::move(text)));
    const Answer answer = TRY(context.ask_whole(Purpose::critic, step, {}, parts));
    if (answer.failure) {
      judged.ending = context.failed_call(*answer.failure);
      judged.ending->answer = inner.answer;
      return judged;
    }
    if (auto declined = context.declined(answer.content)) {
      judged.ending = std::move(declined);
      judged.ending->answer = inner.answer;
      return judged;
    }
    const auto verdict = parse_verdict(answer.content.text);
    const bool is_cut = answer.content.outcome == llm::Outcome::truncated && context.is_from(2);
    if (!verdict && is_cut) {
      judged.ending = context.too_long(inner.answer);
      return judged;
    }
    if (verdict) {
      judged.critique = {verdict->accepts, verdict->critique, answer.commit};
      return judged;
    }
    if (mark == "nudge") {
      judged.ending =
          Ending{.stopped = Stopped::error,
                 .by = "malformed",
                 .answer = inner.answer,
                 .error = "the critic's reply is malformed: " + verdict.error().message};
      return judged;
    }
    mark = "nudge";
    text = critic_nudge(verdict.error().message);
  }
}

}  // namespace

Result<Ending> reflexion_loop(Context& context, std::string_view goal) {
  StepCounter counter;
  Ending inner{.stopped = Stopped::max_steps, .by = "max_outer_iterations"};
  const std::int64_t most = context.options().max_outer_iterations;
  for (std::int64_t iteration = 1; iteration <= most || !context.recorder().heeds_limits();
       ++iteration) {
    if (auto ending = context.must_end()) {
      ending->answer = inner.answer;
      return std::move(*ending);
    }
    context.begin_part();
    inner = TRY(react_loop(context, counter));
    if (is_final(inner.stopped)) return inner;

    Decision ended{.word = std::string(record::kPartEnded),
                   .text = fmt::format("attempt {}: {}", iteration, name_of(inner.stopped)),
                   .facts = {},
                   .about = {}};
    ended.facts.set(fact::stopped, name_of(inner.stopped));
    ended.facts.set(fact::by, inner.by);
    TRY(context.recorder().decide(counter.steps, std::move(ended)));
    using Verified = Best::Verified;
    context.note_answer(inner.answer, Verified::nobody, fmt::format("attempt {}", iteration));
    Judged judged =
        TRY(judge(context, counter.steps, case_of(goal, context.progress.steps, inner), inner));
    if (judged.ending) return std::move(*judged.ending);
    context.progress.critiques.push_back(judged.critique);
    if (judged.critique.accepts) {
      return Ending{.stopped = Stopped::goal_achieved, .by = "critic", .answer = inner.answer};
    }
    context.note_answer(inner.answer, Verified::rejected,
                        fmt::format("attempt {}, which the critic sent back", iteration));
    TRY(context.recorder().say(
        counter.steps, "critique",
        fmt::format("[reflexion critique #{}] {}", iteration, judged.critique.critique)));
  }
  return Ending{.stopped = Stopped::max_steps,
                .by = "max_outer_iterations",
                .answer = inner.answer,
                .limit = std::to_string(most),
                .spent = std::to_string(most)};
}

}  // namespace spoor::agent::planners
