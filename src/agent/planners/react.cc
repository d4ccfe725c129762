#include <utility>

#include <fmt/format.h>

#include "agent/planners/loops.h"
#include "agent/planners/prompts.h"
#include "agent/reading/rationale_blocks.h"
#include "agent/reading/text_calls.h"
#include "agent/registry.h"
#include "base/json/writer.h"

namespace spoor::agent::planners {
namespace {

using record::Answer;
using record::Purpose;
using record::Said;

// The move in an answer: calls, or the end.
struct Move {
  std::string thought;
  std::vector<Intent> intents;
  std::vector<Call> calls;
  bool finishes = false;
  std::optional<std::string> answer;
  ParsedStep step;  // Set for a JSON reply.
};

// Reads the one JSON object with the action.
Result<Move> move_of_json(const Said& said) {
  Move move;
  move.step = TRY(parse_step(said.text));
  const ParsedStep& step = move.step;
  move.thought = step.thought;
  move.finishes = step.action == kFinish;
  move.answer = step.final_answer;
  move.intents.push_back({.tool = step.action,
                          .rationale = step.rationale,
                          .dropped = step.dropped,
                          .needs_reason = !move.finishes});
  if (!move.finishes) {
    move.calls.push_back({.number = 1, .tool = step.action, .arguments = step.action_input});
  }
  return move;
}

// Reads the provider's calls, or calls in the text; an answer without a call is the last.
Result<Move> move_of_calls(const Context& context, const Said& said) {
  Move move;
  move.thought = context.calling() == Calling::native ? said.text : std::string();
  if (context.calling() == Calling::native) {
    for (const compile::ToolCall& call : said.calls) {
      const std::string id = context.id_of(call.name);
      move.intents.push_back({.tool = id, .called_as = call.name, .rationale = {}, .dropped = {}});
      move.calls.push_back({.number = static_cast<std::int64_t>(move.calls.size() + 1),
                            .tool = id,
                            .arguments = call.arguments,
                            .id = call.id,
                            .called_as = call.name});
    }
  } else {
    for (reading::TextCall& call : reading::read_text_calls(said.text, said.thinking).calls) {
      move.calls.push_back({.number = static_cast<std::int64_t>(move.calls.size() + 1),
                            .tool = call.name,
                            .arguments = call.arguments});
      move.intents.push_back({.tool = std::move(call.name),
                              .rationale = std::move(call.rationale),
                              .dropped = std::move(call.dropped)});
    }
  }
  if (!move.calls.empty()) return move;
  std::string answer = reading::read_rationale_blocks(said.text).stripped;
  if (answer.empty()) return invalid("no text, and no call");
  if (said.is_cut_short) {
    return invalid("it is longer than an answer may be, and was cut off");
  }
  move.finishes = true;
  move.answer = std::move(answer);
  move.intents.push_back({.tool = std::string(kFinish), .needs_reason = false});
  return move;
}

Result<Move> move_of(const Context& context, const Said& said) {
  return context.calling() == Calling::json ? move_of_json(said) : move_of_calls(context, said);
}

record::ReadAnswer reader(Context& context) {
  return [&context](const Said& said) {
    const auto move = move_of(context, said);
    if (!move) return record::Reading{};
    AnswerForm form{.is_native = context.calling() == Calling::native, .thought = {}};
    if (context.calling() == Calling::json) form.thought = move->thought;
    record::Reading reading =
        read_reasons(said, move->intents, form, context.known(), context.options().rationale);
    const std::string& action = move->intents.front().tool;
    if (context.calling() != Calling::native && is_tool_id(action)) reading.action = action;
    return reading;
  };
}

void finish(Context& context, const Move& move, const compile::Oid& commit) {
  context.progress.steps.push_back({.thought = move.thought,
                                    .action = std::string(kFinish),
                                    .action_input = move.step.action_input,
                                    .observation = {},
                                    .commit = commit});
}

}  // namespace

Result<Ending> react_loop(Context& context, StepCounter& counter) {
  bool was_nudged = false;
  const std::int64_t most = context.options().max_steps;
  for (std::int64_t turn = 0; turn < most || !context.recorder().heeds_limits(); ++turn) {
    if (auto ending = TRY(context.recorded_ending())) return std::move(*ending);
    if (auto ending = context.must_end()) return std::move(*ending);
    const std::int64_t step = ++counter.steps;
    const Answer answer = TRY(context.ask(Purpose::agent, step, reader(context)));
    if (answer.failure) return context.failed_call(*answer.failure);

    auto move = move_of(context, answer.said);
    if (!move) {
      const std::string& problem = move.error().message;
      if (was_nudged) {
        return Ending{.stopped = Stopped::error,
                      .by = "malformed",
                      .answer = context.last_observation(),
                      .error = "the model's reply is malformed: " + problem};
      }
      was_nudged = true;
      TRY(context.recorder().say(step, "nudge", nudge(context.calling(), problem)));
      continue;
    }
    if (move->finishes) {
      finish(context, *move, answer.commit);
      return Ending{
          .stopped = Stopped::goal_achieved, .by = "final_answer", .answer = move->answer};
    }
    for (Call& call : move->calls) {
      call.answer = answer.commit;
      const auto reason = answer.rationale.find(static_cast<std::size_t>(call.number));
      if (reason != answer.rationale.end()) call.rationale = &reason->second;
    }
    auto ending = TRY(context.act(step, move->thought, move->calls, answer.is_recorded));
    if (ending) return std::move(*ending);
  }
  return Ending{.stopped = Stopped::max_steps,
                .by = "max_steps",
                .answer = context.last_observation(),
                .limit = std::to_string(most),
                .spent = std::to_string(most)};
}

}  // namespace spoor::agent::planners
