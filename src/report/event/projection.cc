#include "report/event/projection.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/spent_facts.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "compile/commitment.h"
#include "guard/capture/field_modes.h"
#include "report/event/artifacts.h"
#include "report/event/canonical.h"
#include "report/event/event.h"
#include "report/event/history_base.h"
#include "report/event/ids.h"
#include "report/event/prompt_bundle.h"
#include "store/ancestry.h"
#include "trace/deriver.h"
#include "trace/tool_call.h"
#include "trace/totals.h"

namespace spoor::report {

using guard::FieldModes;
using guard::read_field_modes;
using guard::check::CallSeen;

namespace {

using compile::Capture;
using compile::FactsView;
using trace::Step;

constexpr int kMostLevels = 16;  // Agents that call agents.

// The facts of an answer while its calls are made.
struct Answer {
  Oid commit;
  std::string span;
  Capture capture = Capture::full;
  PromptProvenance provenance;  // Without the prompt itself.
  std::size_t open = 0;         // Calls without a result.
};
using SharedAnswer = std::shared_ptr<Answer>;

// A run, or a history that no run wrote.
struct History {
  HistoryBase base;
  SharedAnswer answer;  // The last one that asks for an action.
  bool has_ended = false;
};

// A commit with its facts.
struct Seen {
  explicit Seen(const store::NamedCommit& at) : named(at) {}

  // Reads the facts into `facts`, to which `turn` refers.
  Result<void> read() {
    TRY(facts.read(named.commit->meta));
    turn = {named.oid, named.commit.get(), &facts,
            compile::capture_from(facts.get(fact::capture)).value_or(Capture::full)};
    return {};
  }

  store::NamedCommit named;
  FactsView facts;
  TurnSeen turn;
};

// Converts a number that JSON represents exactly, or a few of them.
std::optional<std::int64_t> with_sign(const std::optional<std::uint64_t>& count) {
  return count ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

void write_spent(const trace::Spent& spent, const trace::Priced& cost, ModelOutput& output) {
  if (spent.trust != trace::Trust::unknown) {
    output.input_tokens = with_sign(agent::request_tokens(spent.usage));
    output.output_tokens = with_sign(spent.usage.output);
    output.usage = spent.usage;
  }
  output.trust = spent.trust;
  output.cost = cost.money;
  output.cost_trust = cost.trust;
}

// Returns a text that is one JSON value; a code fence around it is allowed.
std::optional<std::string> structure_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("```") && text.ends_with("```") && text.size() > 6) {
    const std::size_t line = text.find('\n');
    if (line == std::string_view::npos) return std::nullopt;
    text = trimmed(text.substr(line, text.size() - line - 3));
  }
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return std::nullopt;
  return canonical_rfc8785(text);
}

std::string names_of(const std::vector<trace::AskedCall>& calls) {
  std::string names;
  for (const trace::AskedCall& call : calls) names += (names.empty() ? "" : ", ") + call.name;
  return names;
}

// Returns spoor's own words and names of tools, for a summary. They are kept in each mode, so they
// are text in a hashed commit too.
Content own_words(const std::string& text, Capture mode) {
  return content_of(text, mode == Capture::hashed ? Capture::full : mode);
}

// Returns the parts that are kept less fully than `all`, from the facts of two commits.
std::string joined_fields(const std::string& a, const std::string& b, Capture all) {
  FieldModes modes;
  for (const std::string& said : {a, b}) {
    if (const auto read = read_field_modes(said)) modes.restrict_to(*read);
  }
  return modes.at_least(all).differences();
}

}  // namespace

class Projection::Impl {
 public:
  Impl(const graph::Repository& repository, std::optional<agent::RunName> run, EventOptions options,
       int level)
      : repository_(repository),
        reader_(repository.reader()),
        options_(options),
        level_(level),
        bundles_(repository),
        deriver_(repository, {.run = std::move(run)}) {}

  Result<void> advance(const Oid& head, const std::optional<Oid>& critic, const Sink& sink) {
    sink_ = &sink;
    return deriver_.advance(head, critic, [this](const Step& step) { return take(step); });
  }

  Result<void> finish(const Sink& sink) {
    sink_ = &sink;
    return deriver_.finish([this](const Step& step) { return take(step); });
  }

 private:
  Result<void> take(const Step& step) {
    Seen seen(step.at);
    TRY(seen.read());
    if (const auto* decision = std::get_if<trace::Decision>(&step.what)) {
      if (decision->word != "run-started") return {};
      runs_[step.run] = {TRY(base_of_run(repository_, seen.turn)), {}, false};
      return {};
    }
    History& history = TRY(history_of(step, seen.turn)).get();
    if (std::holds_alternative<trace::FailedRequest>(step.what)) {
      return take_failed_call(seen.turn, history);
    }
    if (std::holds_alternative<trace::End>(step.what)) return take_end(seen.turn, history);
    if (const auto* request = std::get_if<trace::Request>(&step.what)) {
      return take_request(seen.turn, *request, history);
    }
    if (const auto* message = std::get_if<trace::Message>(&step.what)) {
      return take_answer(seen.turn, *message, history);
    }
    if (const auto* call = std::get_if<trace::Call>(&step.what)) {
      return call->result ? take_result(seen.turn, *call, history) : Result<void>();
    }
    if (const auto* compaction = std::get_if<trace::Compaction>(&step.what)) {
      return take_summary(seen.turn, *compaction, history);
    }
    return {};
  }

  Result<std::reference_wrapper<History>> history_of(const Step& step, const TurnSeen& turn) {
    const auto run = runs_.find(step.run);
    if (run != runs_.end()) return std::ref(run->second);
    if (!plain_) {
      plain_.emplace();
      plain_->base = base_of_history(TRY(store::ancestor_at(reader_, turn.oid, 0)));
    }
    learn_context(turn, plain_->base);
    return std::ref(*plain_);
  }

  DecisionEvent event_of(const TurnSeen& turn, const History& history, EventKind kind) const {
    DecisionEvent event;
    event.kind = kind;
    event.commit = turn.oid;
    event.event_id = event_id_of(turn.oid);
    if (turn.commit->time) event.timestamp = turn.commit->time->text();
    event.trace_id = history.base.trace_id;
    event.span_id = span_id_of(turn.oid);
    event.run_span = history.base.span;
    // A history that no run wrote has no end event that could have the span.
    if (history.base.is_run) event.parent_span_id = history.base.span;
    event.session = history.base.session;
    event.request = history.base.request;
    event.prompt_provenance.capture = turn.capture;
    event.prompt_provenance.capture_fields = valid_utf8(turn.facts->get(fact::capture_fields));
    event.prompt_provenance.bundle_hash = kUnknown;
    return event;
  }

  Result<void> emit(DecisionEvent&& event) const {
    if (options_.judgements == nullptr) return (*sink_)(std::move(event));
    const auto judged = options_.judgements->find(event.commit);
    if (judged == options_.judgements->end()) return (*sink_)(std::move(event));
    event.evaluation = guard::check::evaluation_of(judged->second);
    std::vector<DecisionEvent> overrides;
    for (const guard::check::Judgement& judgement : judged->second) {
      if (judgement.is_override) overrides.push_back(override_of(event, judgement));
    }
    TRY((*sink_)(std::move(event)));
    for (DecisionEvent& one : overrides) TRY((*sink_)(std::move(one)));
    return {};
  }

  // Returns a person's override of the judgement of `event`.
  static DecisionEvent override_of(const DecisionEvent& event,
                                   const guard::check::Judgement& judgement) {
    DecisionEvent made;
    made.kind = EventKind::override_;
    made.commit = judgement.note;
    made.event_id = event_id_of(judgement.note);
    if (judgement.time) made.timestamp = judgement.time->text();
    made.trace_id = event.trace_id;
    made.span_id = span_id_of(judgement.note);
    made.parent_span_id = event.span_id;
    made.run_span = event.run_span;
    made.session = event.session;
    made.request = event.request;
    made.prompt_provenance = without_prompt(event.prompt_provenance);
    made.agent_action.type = AgentAction::Type::override_;
    made.evaluation = guard::check::evaluation_of({judgement});
    std::string says(trace::name_of(guard::check::status_of(judgement.results)));
    if (!judgement.author.empty()) says = valid_utf8(judgement.author) + ": " + says;
    made.agent_action.summary = own_words(says, event.prompt_provenance.capture);
    return made;
  }

  // Takes the text that a user typed. A turn that a program added is not a request.
  Result<void> take_request(const TurnSeen& turn, const trace::Request& said, History& history) {
    if (history.base.is_run || said.is_injected) return {};
    EventRequest& request = history.base.request;
    request.request_id = turn.oid.hex();
    request.user_request_raw = content_of(TRY(text_of(reader_, turn)), turn);
    return {};
  }

  Result<void> read_provenance(const TurnSeen& turn, PromptProvenance& provenance) {
    const FactsView& facts = *turn.facts;
    if (const std::string word = facts.get(fact::provider); !word.empty()) {
      provenance.provider = valid_utf8(word);
    }
    if (const std::string word = facts.get(fact::model); !word.empty()) {
      provenance.model = valid_utf8(word);
    }
    const auto attempts = facts.get(fact::attempts);
    if (facts.get(fact::from_cache)) {
      provenance.attempts = 0;  // No request was sent.
    } else if (attempts) {
      provenance.attempts = attempts;
    } else if (turn.commit->prompt) {
      provenance.attempts = 1;
    }
    if (turn.commit->prompt && options_.bundles) {
      const std::string answered = provenance.model;  // More exact than the requested one.
      TRY(bundles_.read(*turn.commit->prompt, provenance));
      if (answered != kUnknown) provenance.model = answered;
    }
    return {};
  }

  static PromptProvenance without_prompt(const PromptProvenance& whole) {
    PromptProvenance provenance;
    provenance.provider = whole.provider;
    provenance.model = whole.model;
    provenance.capture = whole.capture;
    provenance.capture_fields = whole.capture_fields;
    provenance.bundle_hash = whole.bundle_hash;
    provenance.temperature = whole.temperature;
    provenance.top_p = whole.top_p;
    provenance.max_tokens = whole.max_tokens;
    return provenance;
  }

  Result<void> take_answer(const TurnSeen& turn, const trace::Message& message, History& history) {
    DecisionEvent event = event_of(turn, history, EventKind::completion);
    TRY(read_provenance(turn, event.prompt_provenance));
    PromptProvenance& provenance = event.prompt_provenance;
    ModelOutput output;
    output.completion_id = valid_utf8(message.id);
    if (message.id.empty()) output.completion_id = valid_utf8(turn.facts->get(fact::response_id));
    if (output.completion_id.empty()) output.completion_id = turn.oid.hex();
    TRY(read_records(turn, message, provenance, output));
    output.finish_reason =
        message.finish_reason.empty() ? kUnknown : valid_utf8(message.finish_reason);
    write_spent(message.spent, trace::price_of(message, options_.prices), output);
    if (message.continues) output.latency_ms.reset();
    for (const trace::AskedCall& call : message.calls) {
      output.tool_calls.push_back({valid_utf8(call.id), valid_utf8(call.name),
                                   content_of(call.arguments, provenance.capture)});
    }
    event.began = message.started;
    event.ended = message.ended;
    event.model_output = std::move(output);
    describe_answer(message, event);

    const auto answer = std::make_shared<Answer>();
    answer->commit = turn.oid;
    answer->span = event.span_id;
    answer->capture = provenance.capture;
    answer->provenance = without_prompt(provenance);
    answer->open = message.calls.size();
    const bool asks = !message.calls.empty();
    if (asks) answers_[turn.oid] = answer;
    const bool can_ask = !message.is_critic && message.cut_off.empty();
    if (can_ask && (asks || !message.is_plan)) history.answer = answer;
    return emit(std::move(event));
  }

  // Reads the text of a message from its commits, and how it was captured.
  Result<void> read_records(const TurnSeen& first, const trace::Message& message,
                            PromptProvenance& provenance, ModelOutput& output) const {
    std::string text;
    bool has_text = false;
    std::optional<Content> hashed;  // Commitments of parts do not add up.
    output.output_raw = content_of(std::optional<std::string>(""), first);
    for (const store::NamedCommit& record : message.records) {
      Seen seen(record);
      TRY(seen.read());
      provenance.capture = stricter(provenance.capture, seen.turn.capture);
      provenance.capture_fields = joined_fields(
          provenance.capture_fields, seen.facts.get(fact::capture_fields), provenance.capture);
      if (const auto latency = seen.facts.get(fact::latency_ms)) output.latency_ms = latency;
      if (!message.cut_off.empty()) {
        add_requested(TRY(fields_of(reader_, seen.turn)), seen.turn.capture, output);
      }
      const auto part = TRY(text_of(reader_, seen.turn));
      if (!part) {
        if (!has_text) output.output_raw = content_of(part, seen.turn);
        continue;
      }
      if (!hashed && !part->empty()) hashed = content_of(*part, seen.turn);
      text += *part;
      has_text = true;
    }
    if (!has_text) return {};
    if (provenance.capture == Capture::hashed) {
      output.output_raw = hashed.value_or(content_of(text, provenance.capture));
    } else {
      output.output_raw = content_of(text, provenance.capture);
    }
    add_structure(text, provenance.capture, output);
    return {};
  }

  static void add_requested(const compile::Fields& fields, Capture capture, ModelOutput& output) {
    if (!fields.tool_calls) return;
    for (const compile::ToolCall& call : *fields.tool_calls) {
      output.tool_calls.push_back(
          {valid_utf8(call.id), valid_utf8(call.name), content_of(call.arguments, capture)});
    }
  }

  // A summary with a known usage is an answer of a model outside the conversation.
  Result<void> take_summary(const TurnSeen& turn, const trace::Compaction& compaction,
                            History& history) {
    if (!compaction.spent.is_known() || history.base.is_run) return {};
    DecisionEvent event = event_of(turn, history, EventKind::completion);
    TRY(read_provenance(turn, event.prompt_provenance));
    const auto text = TRY(text_of(reader_, turn));
    ModelOutput output;
    write_spent(compaction.spent, trace::price_of(compaction, options_.prices), output);
    output.latency_ms = turn.facts->get(fact::latency_ms);
    if (const std::string why = turn.facts->get(fact::finish_reason); !why.empty()) {
      output.finish_reason = valid_utf8(why);
    }
    output.completion_id = turn.oid.hex();
    output.output_raw = content_of(text, turn);
    if (text) add_structure(*text, turn.capture, output);
    event.model_output = std::move(output);
    event.agent_action.type = AgentAction::Type::other;
    event.agent_action.summary = own_words("the conversation was summarised", turn.capture);
    return emit(std::move(event));
  }

  static void add_structure(const std::string& text, Capture mode, ModelOutput& output) {
    output.output_structured.reset();
    if (mode == Capture::hashed) return;
    if (const auto value = structure_of(text)) output.output_structured = content_of(*value, mode);
  }

  // Describes an answer: a plan or a message.
  static void describe_answer(const trace::Message& message, DecisionEvent& event) {
    AgentAction& action = event.agent_action;
    const Capture mode = event.prompt_provenance.capture;
    if (!message.cut_off.empty()) {
      action.type = AgentAction::Type::other;
      action.summary = own_words("the answer was cut off: " + message.cut_off, mode);
      event.error_type = valid_utf8(message.cut_off);
    } else if (message.calls.empty()) {
      action.type = AgentAction::Type::message;
      action.summary = summary_of(event.model_output->output_raw);
    } else {
      action.type = AgentAction::Type::plan;
      action.summary = own_words("asks for " + names_of(message.calls), mode);
    }
  }

  // Returns the answer that asked for a call, and forgets it when all its calls have results.
  SharedAnswer answer_of(const trace::Call& call) {
    if (!call.answer) return nullptr;
    const auto found = answers_.find(*call.answer);
    if (found == answers_.end()) return nullptr;
    SharedAnswer answer = found->second;
    if (--answer->open == 0) answers_.erase(found);
    return answer;
  }

  Result<void> take_result(const TurnSeen& seen, const trace::Call& call, History& history) {
    if (!call.child_run.empty()) TRY(project_child(call.child_run, history));
    DecisionEvent event = event_of(seen, history, EventKind::action);
    TurnSeen turn = seen;
    const CallSeen what{call.tool, call.asked.arguments, call.artifact};
    if (const SharedAnswer answer = answer_of(call)) {
      turn.capture = stricter(turn.capture, answer->capture);
      const std::string own = std::move(event.prompt_provenance.capture_fields);
      event.prompt_provenance = answer->provenance;
      event.prompt_provenance.capture_fields =
          joined_fields(own, answer->provenance.capture_fields, turn.capture);
      event.span_id = call_span_id(answer->commit, call.place);
      event.parent_span_id = answer->span;
    }
    event.prompt_provenance.capture = turn.capture;
    const auto text = TRY(text_of(reader_, seen));
    event.duration_ms = call.duration_ms;
    event.began = call.started;
    event.tool_cost = call.spent.cost;
    AgentAction& action = event.agent_action;
    action.type = type_of(what);
    describe_call(what, turn, action);
    if (call.outcome == trace::Outcome::refused) {
      event.error_type = "blocked";
      action.type = AgentAction::Type::blocked;
    } else {
      if (call.outcome == trace::Outcome::failed) event.error_type = "tool_error";
      action.artifacts = TRY(artifacts_of(reader_, turn, action.type, call, text.value_or("")));
    }
    ToolResult result;
    result.call_id = valid_utf8(call.asked.id);
    if (call.asked.id.empty()) result.call_id = valid_utf8(TRY(fields_of(reader_, seen)).call_id);
    result.name = valid_utf8(call.tool);
    result.arguments =
        call.is_asked() ? content_of(call.asked.arguments, turn.capture) : unknown_content();
    result.is_error = call.is_error || call.exit_code.value_or(0) != 0;
    result.output = content_of(text, seen);
    action.tool_results.push_back(std::move(result));
    return emit(std::move(event));
  }

  // `edit_file slug.sh`, `run_command ./check.sh`, `look {"at":"it"}`
  static void describe_call(const CallSeen& call, const TurnSeen& turn, AgentAction& action) {
    const std::string tool = call.tool.empty() ? kUnknown : call.tool;
    const bool is_hashed =
        turn.capture == Capture::hashed || compile::is_commitment(call.arguments);
    if (is_hashed || call.arguments.empty()) {
      action.summary = own_words(tool, turn.capture);
      return;
    }
    const std::string with = trace::target_of(call.tool, call.arguments);
    const Content whole = content_of(with.empty() ? tool : tool + " " + with, turn.capture);
    action.summary = summary_of(whole);
  }

  Result<void> project_child(const std::string& id, const History& history) {
    if (level_ >= kMostLevels) return {};
    const auto run = agent::find_run(repository_, id);
    if (!run) {
      if (run.error().code == Error::Code::not_found) return {};
      return run.error();
    }
    const auto root = TRY(reader_.commit(run->root));
    FactsView facts;
    TRY(facts.read(root->meta));
    if (!facts.says(fact::caller_run, history.base.session.run_id)) return {};
    Impl child(repository_, *run, options_, level_ + 1);
    TRY(child.advance(run->head, run->critic, *sink_));
    return child.finish(*sink_);
  }

  Result<void> take_failed_call(const TurnSeen& turn, History& history) {
    DecisionEvent event = event_of(turn, history, EventKind::failed_call);
    TRY(read_provenance(turn, event.prompt_provenance));
    event.agent_action.type = AgentAction::Type::other;
    event.error_type = valid_utf8(turn.facts->get(fact::failure));
    event.duration_ms = turn.facts->get(fact::latency_ms);
    std::string summary = "the call of a model failed: " + turn.facts->get(fact::failure);
    if (const auto status = turn.facts->get(fact::status)) {
      summary += fmt::format(" ({})", *status);
    }
    event.agent_action.summary = own_words(summary, turn.capture);
    return emit(std::move(event));
  }

  Result<void> take_end(const TurnSeen& turn, History& history) {
    DecisionEvent event = event_of(turn, history, EventKind::end);
    if (!history.has_ended) {
      event.span_id = history.base.span;
      event.parent_span_id = history.base.parent_span;
    }
    history.has_ended = true;
    if (history.answer) {
      const std::string fields = std::move(event.prompt_provenance.capture_fields);
      event.prompt_provenance = history.answer->provenance;
      event.prompt_provenance.capture_fields = fields;
    }
    event.prompt_provenance.capture = turn.capture;
    AgentAction& action = event.agent_action;
    // The answer of a run that was stopped is only the last text that it saw.
    const bool has_answer =
        turn.facts->says(fact::stopped, "goal_achieved") && !turn.facts->json(fact::no_answer);
    if (has_answer) {
      action.type = AgentAction::Type::message;
      action.summary = summary_of(content_of(TRY(text_of(reader_, turn)), turn));
    } else {
      action.type = AgentAction::Type::no_op;
      std::string why = turn.facts->get(fact::stopped);
      if (why == "planner") why = turn.facts->get(fact::by);  // A reason of its own.
      action.summary = own_words("the run stopped: " + why, turn.capture);
      if (turn.facts->says(fact::stopped, "error")) event.error_type = "run_error";
    }
    return emit(std::move(event));
  }

  const graph::Repository& repository_;
  const store::Reader& reader_;
  const EventOptions options_;
  const int level_;
  BundleReader bundles_;
  trace::Deriver deriver_;
  const Sink* sink_ = nullptr;  // Sink of the current call.
  std::map<std::string, History> runs_;
  std::optional<History> plain_;
  std::unordered_map<Oid, SharedAnswer> answers_;  // Answers that wait for results, by commit.
};

Projection::Projection(const graph::Repository& repository, std::optional<agent::RunName> run,
                       EventOptions options)
    : impl_(std::make_unique<Impl>(repository, std::move(run), options, 0)) {}

Projection::~Projection() = default;

Result<void> Projection::advance(const Oid& head, const std::optional<Oid>& critic,
                                 const Sink& sink) {
  return impl_->advance(head, critic, sink);
}

Result<void> Projection::finish(const Sink& sink) { return impl_->finish(sink); }

Result<void> project(const graph::Repository& repository, const std::optional<agent::RunName>& run,
                     const Oid& head, const EventOptions& options, const Projection::Sink& sink) {
  Projection projection(repository, run, options);
  TRY(projection.advance(head, run ? run->critic : std::nullopt, sink));
  return projection.finish(sink);
}

}  // namespace spoor::report
