#include <utility>

#include <fmt/format.h>

#include "agent/planners/loops.h"
#include "agent/planners/prompts.h"
#include "agent/reading/dialects.h"
#include "agent/reading/rationale_blocks.h"
#include "agent/reading/text_calls.h"
#include "agent/registry.h"
#include "base/json/reader.h"
#include "base/json/writer.h"

namespace spoor::agent::planners {
namespace {

using llm::Outcome;
using record::Answer;
using record::AnswerContent;
using record::Purpose;

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
Result<Move> move_of_json(const AnswerContent& content) {
  Move move;
  move.step = TRY(parse_step(content.text));
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

bool takes_text(const Catalogue& catalogue, std::string_view id, std::string_view parameter) {
  const Catalogue::Entry* entry = catalogue.find(id);
  if (entry == nullptr || entry->tool == nullptr) return false;
  const auto schema = json::parse(entry->tool->parameters);
  return schema && schema->root().find("properties").find(parameter).find("type").equals("string");
}

// The tools of the run, which must outlive the result.
reading::OfferedTools offered_tools(const Catalogue& catalogue) {
  return {.has = [&catalogue](std::string_view id) { return catalogue.find(id) != nullptr; },
          .takes_text =
              [&catalogue](std::string_view id, std::string_view parameter) {
                return takes_text(catalogue, id, parameter);
              }};
}

// Whether marks of a call that cannot be read may be a part of the last answer.
enum class Marks { refused, taken };

// Whether a text has the marks of a call, or is a call of a tool that is there.
bool has_call_in(const Context& context, const std::string& text) {
  if (reading::has_dialect_marks(text)) return true;
  if (context.calling() != Calling::native || !context.is_from(3)) return false;
  return reading::has_text_call(text, offered_tools(context.catalogue()));
}

// Reads the provider's calls, or calls in the text; an answer without a call is the last.
Result<Move> move_of_calls(const Context& context, const AnswerContent& content, Marks marks) {
  Move move;
  move.thought = context.calling() == Calling::native ? content.text : std::string();
  if (context.calling() == Calling::native) {
    for (const compile::ToolCall& call : content.calls) {
      const std::string id = context.id_of(call.name);
      move.intents.push_back({.tool = id, .called_as = call.name, .rationale = {}, .dropped = {}});
      move.calls.push_back({.number = static_cast<std::int64_t>(move.calls.size() + 1),
                            .tool = id,
                            .arguments = call.arguments,
                            .id = call.id,
                            .called_as = call.name});
    }
  } else {
    const reading::OfferedTools tools = offered_tools(context.catalogue());
    for (reading::TextCall& call :
         reading::read_text_calls(content.text, content.thinking, tools).calls) {
      move.calls.push_back({.number = static_cast<std::int64_t>(move.calls.size() + 1),
                            .tool = call.name,
                            .arguments = call.arguments});
      move.intents.push_back({.tool = std::move(call.name),
                              .rationale = std::move(call.rationale),
                              .dropped = std::move(call.dropped)});
    }
  }
  if (!move.calls.empty()) return move;
  std::string answer = reading::read_rationale_blocks(content.text).stripped;
  if (answer.empty()) {
    return invalid(content.outcome == Outcome::truncated
                       ? "it reached its limit before there was any text"
                       : "no text, and no call");
  }
  if (marks == Marks::refused && has_call_in(context, answer)) {
    return invalid("it contains a call that cannot be read", unread_call_nudge(context.calling()));
  }
  if (context.is_from(3)) answer = std::string(reading::final_message(answer));
  if (answer.empty()) return invalid("no text, and no call");
  move.finishes = true;
  move.answer = std::move(answer);
  move.intents.push_back({.tool = std::string(kFinish), .needs_reason = false});
  return move;
}

Result<Move> move_of(const Context& context, const AnswerContent& content,
                     Marks marks = Marks::refused) {
  return context.calling() == Calling::json ? move_of_json(content)
                                            : move_of_calls(context, content, marks);
}

bool is_step(const std::string& text) { return parse_step(text).has_value(); }

// Returns an answer with its earlier parts before it; `front` is empty unless the answer is JSON.
AnswerContent with_front(const AnswerContent& content, const std::string& front) {
  AnswerContent whole = content;
  whole.text = join_parts(front, content.text, is_step);
  return whole;
}

record::ReadAnswer reader(Context& context, std::string front) {
  return [&context, front = std::move(front)](const AnswerContent& last) {
    const AnswerContent content = with_front(last, front);
    const auto move = move_of(context, content);
    if (!move) return record::Reading{};
    AnswerForm form{.is_native = context.calling() == Calling::native, .thought = {}};
    if (context.calling() == Calling::json) form.thought = move->thought;
    record::Reading reading =
        read_reasons(content, move->intents, form, context.known(), context.options().rationale);
    const std::string& action = move->intents.front().tool;
    if (context.calling() != Calling::native && is_tool_id(action)) reading.action = action;
    return reading;
  };
}

// Marks the last call if the answer ended in the middle of its arguments.
bool mark_cut(const AnswerContent& content, std::vector<Call>& calls) {
  if (content.outcome != Outcome::truncated || calls.empty()) return false;
  if (json::parse(calls.back().arguments)) return false;
  calls.back().problem =
      "the answer reached its limit in the middle of this call, so nothing was run; write less at "
      "once, for example a file in several parts";
  return true;
}

void finish(Context& context, const Move& move, const compile::Oid& commit) {
  context.progress.steps.push_back({.thought = move.thought,
                                    .action = std::string(kFinish),
                                    .action_input = move.step.action_input,
                                    .observation = {},
                                    .commit = commit});
}

// The state of a react loop between two answers.
class Reacting {
 public:
  explicit Reacting(Context& context) : context_(context) {}

  // Returns the earlier parts of a JSON answer whose rest is to come.
  std::string json_front() const { return continues_json() ? front_ : std::string(); }

  // Takes an answer; returns the ending if it is the last.
  Result<std::optional<Ending>> take(std::int64_t step, const Answer& answer) {
    if (answer.failure) return std::optional(context_.failed_call(*answer.failure));
    const AnswerContent content = with_front(answer.content, json_front());
    if (auto ending = context_.declined(content)) return ending;
    if (content.outcome == Outcome::paused && content.calls.empty()) {
      keep_part(content);
      return std::optional<Ending>();
    }
    if (content.outcome != Outcome::truncated) continued_ = 0;
    auto move = move_of(context_, content, is_meant() ? Marks::taken : Marks::refused);
    if (move && move->finishes && is_broken(content)) {
      move = invalid("it broke off, or its call could not be read", broken_answer_nudge());
    }
    if (!move && content.outcome == Outcome::truncated && continues_json()) {
      front_ = content.text;
      return continued(step);
    }
    if (!move) return nudged(step, move.error());
    nudges_ = 0;
    if (move->finishes) return finished(step, *move, answer);
    if (mark_cut(content, move->calls) && ++continued_ == kMostContinued) return too_long();
    for (Call& call : move->calls) {
      call.answer = answer.commit;
      const auto reason = answer.rationale.find(static_cast<std::size_t>(call.number));
      if (reason != answer.rationale.end()) call.rationale = &reason->second;
    }
    front_.clear();
    return context_.act(step, move->thought, move->calls, answer.is_recorded);
  }

 private:
  bool is_json() const { return context_.calling() == Calling::json; }
  bool continues_json() const { return is_json() && context_.is_from(2); }

  // Whether marks of a call belong to the answer: asked again, a model whose calls came natively
  // means what it writes.
  bool is_meant() const {
    const bool has_called = !context_.is_from(3) || !context_.progress.steps.empty();
    return nudges_ > 0 && has_called && context_.calling() == Calling::native;
  }

  // Whether a text is not the last answer, whatever it says. A whole JSON object may be.
  bool is_broken(const AnswerContent& content) const {
    return content.outcome == Outcome::malformed && !is_json() && context_.is_from(3);
  }

  // Keeps the text of an answer that the provider goes on with. It pauses between its own tools,
  // not in a sentence.
  void keep_part(const AnswerContent& content) {
    if (is_json() || !context_.is_from(3)) return;
    const std::string text = reading::read_rationale_blocks(content.text).stripped;
    if (!text.empty()) front_ += text + "\n\n";
  }

  // Asks for the rest of an answer that reached its limit.
  Result<std::optional<Ending>> continued(std::int64_t step) {
    if (++continued_ == kMostContinued) return too_long();
    TRY(context_.recorder().say(step, "nudge", continue_nudge()));
    return std::optional<Ending>();
  }

  // Asks for a readable answer, unless that was in vain before.
  Result<std::optional<Ending>> nudged(std::int64_t step, const Error& problem) {
    if (nudges_ >= context_.options().nudges_per_step) {
      return std::optional(Ending{.stopped = Stopped::error,
                                  .by = "malformed",
                                  .answer = context_.last_observation(),
                                  .error = "the model's reply is malformed: " + problem.message});
    }
    ++nudges_;
    if (is_json()) front_.clear();
    std::string text = is_json() || problem.hint.empty()
                           ? nudge(context_.calling(), problem.message)
                           : problem.hint;
    TRY(context_.recorder().say(step, "nudge", std::move(text)));
    return std::optional<Ending>();
  }

  // Ends with the answer, or asks for its rest.
  Result<std::optional<Ending>> finished(std::int64_t step, const Move& move,
                                         const Answer& answer) {
    std::optional<std::string> text = move.answer;
    const bool is_cut = answer.content.outcome == Outcome::truncated;
    if (!is_json() && text && (is_cut || !front_.empty())) {
      text = front_ + reading::read_rationale_blocks(answer.content.text).rest;
    }
    if (is_cut && !is_json()) {
      front_ = text.value_or(front_);
      return continued(step);
    }
    finish(context_, move, answer.commit);
    return std::optional(
        Ending{.stopped = Stopped::goal_achieved, .by = "final_answer", .answer = std::move(text)});
  }

  std::optional<Ending> too_long() const {
    const bool is_text = !front_.empty() && !is_json();
    return context_.too_long(is_text ? front_ : context_.last_observation());
  }

  Context& context_;
  std::int64_t nudges_ = 0;  // In a row.
  int continued_ = 0;        // Answers in a row that reached their limit.
  std::string front_;        // Of an answer whose rest is to come.
};

}  // namespace

Result<Ending> react_loop(Context& context, StepCounter& counter) {
  Reacting reacting(context);
  const std::int64_t most = context.options().max_steps;
  for (std::int64_t turn = 0; turn < most || !context.recorder().heeds_limits(); ++turn) {
    if (auto ending = TRY(context.recorded_ending())) return std::move(*ending);
    if (auto ending = context.must_end()) return std::move(*ending);
    const std::int64_t step = ++counter.steps;
    const Answer answer =
        TRY(context.ask(Purpose::agent, step, reader(context, reacting.json_front())));
    if (auto ending = TRY(reacting.take(step, answer))) return std::move(*ending);
  }
  return Ending{.stopped = Stopped::max_steps,
                .by = "max_steps",
                .answer = context.last_observation(),
                .limit = std::to_string(most),
                .spent = std::to_string(most)};
}

}  // namespace spoor::agent::planners
