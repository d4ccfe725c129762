#include <utility>

#include <fmt/format.h>

#include "agent/planners/context.h"
#include "agent/planners/prompts.h"
#include "agent/planners/steps.h"
#include "compile/turn.h"

namespace spoor::agent::planners {

using record::Answer;
using record::Purpose;

Result<Answer> Context::ask(Purpose purpose, std::int64_t step, record::ReadAnswer read,
                            std::optional<std::int64_t> window) {
  tell({.kind = RunEvent::Kind::asking,
        .step = step,
        .text = record::name_of(purpose),
        .is_recorded = recorder_.is_replaying()});
  const bool takes_tools = purpose == Purpose::agent;
  Answer answer = TRY(recorder_.ask({.purpose = purpose,
                                     .step = step,
                                     .candidates = takes_tools ? models_.with_tools : models_.plain,
                                     .read = std::move(read),
                                     .window = window,
                                     .most_wait = time_left()}));
  // The same blocks are sent with every request of the loop.
  if (!answer.lost_thinking.empty() && answer.lost_thinking != lost_thinking_) {
    lost_thinking_ = answer.lost_thinking;
    warn(lost_thinking_);
  }
  return answer;
}

std::optional<std::chrono::milliseconds> Context::time_left() const {
  if (!options_.budget.max_wall_time) return std::nullopt;
  const auto left = *options_.budget.max_wall_time - recorder_.elapsed();
  return std::max(std::chrono::milliseconds{0},
                  std::chrono::duration_cast<std::chrono::milliseconds>(left));
}

Result<Answer> Context::ask_whole(Purpose purpose, std::int64_t step,
                                  const record::ReadAnswer& read, const Parts& parts) {
  std::string front;
  for (int asked = 1;; ++asked) {
    record::ReadAnswer read_all;
    if (read) {
      read_all = [&](const record::AnswerContent& content) {
        record::AnswerContent all = content;
        all.text = join_parts(front, content.text, parts.is_whole);
        record::Reading reading = read(all);
        if (!front.empty() && purpose == Purpose::plan) reading.action = record::kPlanInParts;
        return reading;
      };
    }
    const auto window = parts.window ? std::optional(parts.window()) : std::nullopt;
    Answer answer = TRY(ask(purpose, step, std::move(read_all), window));
    if (answer.failure) return answer;
    answer.content.text = join_parts(front, answer.content.text, parts.is_whole);
    answer.has_parts = !front.empty();
    const llm::Outcome outcome = answer.content.outcome;
    const bool is_part = outcome == llm::Outcome::truncated || outcome == llm::Outcome::paused;
    const bool is_last = !is_part || asked == kMostContinued || parts.is_whole(answer.content.text);
    if (is_last || !is_from(2)) return answer;
    if (outcome == llm::Outcome::paused) {  // It goes on by itself, with another text.
      if (is_from(3)) front = answer.content.text + "\n\n";
      continue;
    }
    front = answer.content.text;
    if (parts.go_on) {
      TRY(parts.go_on());
    } else {
      TRY(recorder_.say(step, "nudge", continue_nudge()));
    }
  }
}

Ending Context::ended_by(const Stop& stop) const {
  Ending ending{.stopped = stop.achieves_goal ? Stopped::goal_achieved : Stopped::planner,
                .by = stop.reason,
                .answer = stop.answer ? stop.answer : last_observation_,
                .rationale = stop.rationale};
  if (!is_stop_reason(stop.reason)) {
    ending.stopped = Stopped::error;
    ending.by = "planner";
    ending.error = fmt::format("'{}' is not a word for the end of a run", stop.reason);
  }
  return ending;
}

Ending Context::too_long(std::optional<std::string> answer) const {
  return {.stopped = Stopped::error,
          .by = std::string(record::kByTruncation),
          .answer = std::move(answer),
          .error = fmt::format("{} answers in a row reached their limit", kMostContinued)};
}

std::optional<Ending> Context::declined(const record::AnswerContent& content) const {
  Ending ending{.stopped = Stopped::refused, .answer = last_observation_};
  if (content.outcome == llm::Outcome::refused) {
    ending.by = record::kByRefusal;
    ending.error = "the model declined";
  } else if (content.outcome == llm::Outcome::filtered) {
    ending.by = record::kByFilter;
    ending.error = "the provider's filter withheld the answer";
  } else {
    return std::nullopt;
  }
  if (!content.text.empty()) ending.error += ": " + compile::preview(content.text);
  return ending;
}

Ending Context::failed_call(const llm::Failure& failure) const {
  if (failure.kind == llm::Failure::Kind::interrupted) return interrupted("interrupted");
  if (failure.not_waited) {
    const auto then = recorder_.elapsed() + *failure.not_waited;
    if (auto ending = limit_reached(then)) {
      ending->error = failure.message;
      return std::move(*ending);
    }
  }
  if (llm::outcome_of(failure.type, false) == llm::Outcome::filtered) {
    return {.stopped = Stopped::refused,
            .by = std::string(record::kByFilter),
            .answer = last_observation_,
            .error = failure.message};
  }
  const Error error = to_error(failure);
  return {.stopped = Stopped::error,
          .by = "provider",
          .answer = last_observation_,
          .error = error.message};
}

Ending Context::interrupted(std::string by) const {
  return {.stopped = Stopped::interrupted, .by = std::move(by), .answer = last_observation_};
}

}  // namespace spoor::agent::planners
