#include "agent/planners/synthesis.h"

#include <utility>

#include "agent/planners/prompts.h"
#include "agent/planners/steps.h"
#include "agent/reading/dialects.h"
#include "agent/reading/json_values.h"
#include "agent/reading/rationale_blocks.h"

namespace spoor::agent::planners {
namespace {

using record::Answer;
using record::AnswerContent;
using record::Purpose;

// Returns the answer in a reply. Models that wrote a plan before may write JSON once more.
std::string answer_in(const std::string& text) {
  if (const auto step = parse_step(text); step && step->final_answer) return *step->final_answer;
  if (const auto payload = reading::payload_of(text, "final_answer")) {
    const json::Value answer = payload->root().find("final_answer");
    if (answer.is_string()) return answer.text();
  }
  return reading::read_rationale_blocks(text).stripped;
}

record::ReadAnswer answer_reader(Context& context) {
  return [&context](const AnswerContent& content) {
    return read_reasons(content, {}, {.is_native = false, .thought = answer_in(content.text)},
                        context.known(), false);
  };
}

}  // namespace

Result<Ending> write_answer(Context& context, std::int64_t step) {
  TRY(context.recorder().say(step, "answer", answer_prompt()));
  const auto never_whole = [](const std::string&) { return false; };
  for (std::int64_t nudges = 0;; ++nudges) {
    const Answer answer = TRY(context.ask_whole(Purpose::answer, step, answer_reader(context),
                                                {.is_whole = never_whole}));
    if (answer.failure) return context.failed_call(*answer.failure);
    if (auto declined = context.declined(answer.content)) return std::move(*declined);
    std::string text = answer_in(answer.content.text);
    if (answer.content.outcome == llm::Outcome::truncated) {
      return context.too_long(text.empty() ? context.last_observation() : text);
    }
    const bool is_no_text =
        context.is_from(3) &&
        (!answer.content.calls.empty() || answer.content.outcome == llm::Outcome::malformed);
    const bool is_written_call = reading::has_dialect_marks(text) && nudges == 0;
    if (!text.empty() && !is_no_text && !is_written_call) {
      context.progress.steps.push_back({.action = std::string(kFinish),
                                        .action_input = "{}",
                                        .observation = {},
                                        .commit = answer.commit});
      return Ending{
          .stopped = Stopped::goal_achieved, .by = "final_answer", .answer = std::move(text)};
    }
    if (nudges >= context.options().nudges_per_step) {
      return Ending{.stopped = Stopped::error,
                    .by = "malformed",
                    .answer = context.last_observation(),
                    .error = "the model's answer is empty, broken off, or a call"};
    }
    TRY(context.recorder().say(step, "nudge", answer_nudge()));
  }
}

}  // namespace spoor::agent::planners
