#include "audit/event/projection.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/spent_facts.h"
#include "audit/capture/field_modes.h"
#include "audit/event/artifacts.h"
#include "audit/event/asked_calls.h"
#include "audit/event/canonical.h"
#include "audit/event/history_base.h"
#include "audit/event/ids.h"
#include "audit/event/json.h"
#include "audit/event/prompt_bundle.h"
#include "compile/commitment.h"
#include "compile/json/reader.h"
#include "compile/json/writer.h"
#include "store/ancestry.h"
#include "store/text.h"

namespace spoor::audit {
namespace {

using compile::Capture;
using compile::FactsView;
using store::Commit;
using store::NamedCommit;
using Type = store::Type;

constexpr std::size_t kStride = 2'048;     // Commits that are held at once.
constexpr std::size_t kMostMessages = 64;  // Whose ids are remembered.
constexpr int kMostLevels = 16;            // Agents that call agents.

// What is known of an answer while its calls are made.
struct Answer {
  Oid commit;
  std::string span;
  Capture capture = Capture::full;
  PromptProvenance provenance;  // Without the prompt itself.
  std::vector<AskedCall> calls;
};
using SharedAnswer = std::shared_ptr<Answer>;

// One of its calls.
struct OpenCall {
  SharedAnswer answer;
  std::int64_t number = 0;  // From 1.
};

// A run, or what no run wrote.
struct History {
  HistoryBase base;
  SharedAnswer answer;  // The last one that asks for something.
  bool has_ended = false;
};

// A message of the model that may have more records.
struct Message {
  DecisionEvent event;
  SharedAnswer answer;
  std::string id;
  Capture capture = Capture::full;
  std::string text;                   // Of all records,
  std::optional<Capture> adds_in;     // the mode when one added to the first's; nothing: none did.
  bool counts_tokens = true;          // An event before has those of this message.
  std::vector<DecisionEvent> behind;  // Results of its calls that came in between.
};

// Of a number that JSON writes exactly, or a few of them.
std::optional<std::int64_t> with_sign(const std::optional<std::uint64_t>& count) {
  return count ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

void read_usage(const FactsView& facts, ModelOutput& output) {
  const agent::Cost cost = agent::read_cost(facts);
  if (cost.tokens()) {
    output.input_tokens = with_sign(cost.input);
    output.output_tokens = with_sign(cost.output);
    output.usage = agent::read_usage(facts);
  }
  if (cost.money) output.cost = cost.money;
  if (const auto latency = facts.json("latency_ms").integer()) output.latency_ms = latency;
  if (const std::string reason = facts.text("finish_reason"); !reason.empty()) {
    output.finish_reason = valid_utf8(reason);
  }
}

// The one JSON value that a text is, a code fence around it allowed.
std::optional<std::string> structure_of(std::string_view text) {
  text = store::trimmed(text);
  if (text.starts_with("```") && text.ends_with("```") && text.size() > 6) {
    const std::size_t line = text.find('\n');
    if (line == std::string_view::npos) return std::nullopt;
    text = store::trimmed(text.substr(line, text.size() - line - 3));
  }
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return std::nullopt;
  return canonical_rfc8785(text);
}

std::string names_of(const std::vector<AskedCall>& calls) {
  std::string names;
  for (const AskedCall& call : calls) names += (names.empty() ? "" : ", ") + call.name;
  return names;
}

// Words of ours and names of tools, for a summary. They are kept in each mode, so of a hashed one
// they are a text as well.
Content own_words(const std::string& text, Capture mode) {
  return content_of(text, mode == Capture::hashed ? Capture::full : mode);
}

// The parts that are kept less fully than `all`, by what two commits say of them.
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
  Impl(const compile::Repository& repository, std::optional<agent::RunName> run,
       EventOptions options, int level)
      : repository_(repository),
        reader_(repository.reader()),
        run_(std::move(run)),
        options_(std::move(options)),
        level_(level),
        bundles_(repository) {}

  Result<void> advance(const Oid& head, const std::optional<Oid>& critic, const Sink& sink) {
    sink_ = &sink;
    const std::uint64_t last = TRY(reader_.commit(head))->depth;
    std::uint64_t next = 0;
    std::optional<Oid> needed;
    if (reached_) {
      next = TRY(reader_.commit(*reached_))->depth + 1;
      needed = reached_;
    } else if (run_) {
      next = TRY(reader_.commit(run_->root))->depth;
      needed = run_->root;
    }
    if (needed) TRY(check_line(head, *needed));
    if (critic) TRY(read_critic(*critic));
    while (next <= last) {
      const std::uint64_t end = std::min<std::uint64_t>(next + kStride - 1, last);
      const Oid at = end == last ? head : TRY(store::ancestor_at(reader_, head, end));
      for (const NamedCommit& named :
           TRY(commits_to(at, static_cast<std::size_t>(end - next + 1)))) {
        TRY(take(named, false));
      }
      reached_ = at;
      next = end + 1;
    }
    return {};
  }

  Result<void> finish(const Sink& sink) {
    sink_ = &sink;
    TRY(flush_message());
    return take_critic(std::nullopt);
  }

 private:
  Result<void> check_line(const Oid& head, const Oid& needed) const {
    if (TRY(store::is_on_line(reader_, needed, head))) return {};
    return store::invalid(fmt::format("{} does not come after {}", head.hex(12), needed.hex(12)),
                          "see 'spoor log --graph --all'");
  }

  // Oldest first.
  Result<std::vector<NamedCommit>> commits_to(const Oid& end, std::size_t count) const {
    std::vector<NamedCommit> commits;
    commits.reserve(count);
    TRY(reader_.run(end, count, [&](const NamedCommit& commit) {
      commits.push_back(commit);
      return true;
    }));
    std::reverse(commits.begin(), commits.end());
    return commits;
  }

  // The critic's own chain, which is read when the run's comes to what follows from it.
  Result<void> read_critic(const Oid& critic) {
    if (critic == critic_) return {};
    const std::uint64_t last = TRY(reader_.commit(critic))->depth;
    const std::uint64_t read = critic_ ? TRY(reader_.commit(*critic_))->depth + 1 : 0;
    for (NamedCommit& named : TRY(commits_to(critic, static_cast<std::size_t>(last - read + 1)))) {
      critics_.push_back(std::move(named));
    }
    critic_ = critic;
    return {};
  }

  // Those before `step`; all of them where there is none.
  Result<void> take_critic(std::optional<std::int64_t> step) {
    while (!critics_.empty()) {
      const NamedCommit named = critics_.front();
      FactsView facts;
      TRY(facts.read(named.commit->meta));
      if (step && facts.json("step").integer().value_or(0) >= *step) return {};
      critics_.pop_front();
      TRY(take(named, true));
    }
    return {};
  }

  Result<void> take(const NamedCommit& named, bool is_of_critic) {
    const Commit& commit = *named.commit;
    const bool is_compress = commit.op == store::Op::compress && !run_;
    if (commit.op != store::Op::append && !is_compress) return {};
    const Type type = is_compress ? Type::summary : *commit.type;
    FactsView facts;
    TRY(facts.read(commit.meta));
    const bool is_root = run_ && named.oid == run_->root;
    if (run_ && !is_root && !agent::is_of_run(commit, facts, run_->id)) return {};
    const TurnSeen turn{named.oid, &commit, &facts,
                        compile::capture_from(facts.text("capture")).value_or(Capture::full)};
    const bool begins = type == Type::decision && facts.says("decision", "run-started");
    if (begins) {
      TRY(flush_message());
      runs_[named.oid.hex(16)] = {TRY(base_of_run(repository_, turn)), {}, false};
      return {};
    }
    History& history = TRY(history_of(turn)).get();
    switch (type) {
      case Type::user:
        if (facts.says("mark", "observation")) return take_result(turn, history);
        return take_request(turn, history);
      case Type::assistant:
        if (!is_of_critic && history.base.is_run) TRY(take_critic(turn.integer("step")));
        return take_answer(turn, history, is_of_critic);
      case Type::tool:
        return take_result(turn, history);
      case Type::summary:
        return take_summary(turn, history);
      case Type::decision:
        if (facts.says("decision", "call-failed")) return take_failed_call(turn, history);
        if (facts.says("decision", "run-ended")) return take_end(turn, history);
        return {};
      default:
        return {};
    }
  }

  Result<std::reference_wrapper<History>> history_of(const TurnSeen& turn) {
    const auto run = runs_.find(turn.facts->text("run"));
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
    // What no run wrote has no end, so that nothing would have the span.
    if (history.base.is_run) event.parent_span_id = history.base.span;
    event.session = history.base.session;
    event.request = history.base.request;
    event.prompt_provenance.capture = turn.capture;
    event.prompt_provenance.capture_fields = valid_utf8(turn.facts->text("capture_fields"));
    event.prompt_provenance.bundle_hash = kUnknown;
    return event;
  }

  Result<void> emit(DecisionEvent&& event) const {
    if (options_.judgements == nullptr) return (*sink_)(std::move(event));
    const auto judged = options_.judgements->find(event.commit);
    if (judged == options_.judgements->end()) return (*sink_)(std::move(event));
    event.evaluation = check::evaluation_of(judged->second);
    std::vector<DecisionEvent> overrides;
    for (const check::Judgement& judgement : judged->second) {
      if (judgement.is_override) overrides.push_back(override_of(event, judgement));
    }
    TRY((*sink_)(std::move(event)));
    for (DecisionEvent& one : overrides) TRY((*sink_)(std::move(one)));
    return {};
  }

  // A person's word on what `event` did.
  static DecisionEvent override_of(const DecisionEvent& event, const check::Judgement& judgement) {
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
    made.evaluation = check::evaluation_of({judgement});
    std::string says(audit::name_of(check::status_of(judgement.results)));
    if (!judgement.author.empty()) says = valid_utf8(judgement.author) + ": " + says;
    made.agent_action.summary = own_words(says, event.prompt_provenance.capture);
    return made;
  }

  // What was typed. Results of tools and what a program put in are no requests.
  Result<void> take_request(const TurnSeen& turn, History& history) {
    TRY(flush_message());
    const bool is_none = turn.facts->json("injected") || turn.facts->json("retrieved_from");
    if (history.base.is_run || is_none) return {};
    EventRequest& request = history.base.request;
    request.request_id = turn.oid.hex();
    request.user_request_raw = content_of(TRY(text_of(reader_, turn)), turn);
    return {};
  }

  Result<void> read_provenance(const TurnSeen& turn, PromptProvenance& provenance) {
    const FactsView& facts = *turn.facts;
    if (const std::string word = facts.text("provider"); !word.empty()) {
      provenance.provider = valid_utf8(word);
    }
    if (const std::string word = facts.text("model"); !word.empty()) {
      provenance.model = valid_utf8(word);
    }
    const auto attempts = facts.json("attempts").integer();
    if (facts.json("from_cache").is_true()) {
      provenance.attempts = 0;  // Nothing was sent.
    } else if (attempts) {
      provenance.attempts = attempts;
    } else if (turn.commit->prompt) {
      provenance.attempts = 1;
    }
    if (turn.commit->prompt && options_.bundles) {
      const std::string answered = provenance.model;  // More exact than what was asked for.
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

  Result<void> take_answer(const TurnSeen& turn, History& history, bool is_of_critic) {
    const compile::Fields fields = TRY(fields_of(reader_, turn));
    const auto text = TRY(text_of(reader_, turn));
    const std::string message = turn.facts->text("message_id");
    const bool is_imported = !history.base.is_run && !turn.commit->prompt && !message.empty();
    if (message_ && (!is_imported || message_->id != message)) TRY(flush_message());
    if (message_) return add_record(turn, fields, text);

    DecisionEvent event = event_of(turn, history, EventKind::completion);
    TRY(read_provenance(turn, event.prompt_provenance));
    const auto answer = std::make_shared<Answer>();
    answer->commit = turn.oid;
    answer->span = event.span_id;
    answer->capture = turn.capture;
    answer->provenance = without_prompt(event.prompt_provenance);
    const std::string cut_off = turn.facts->text("interrupted");
    if (cut_off.empty()) add_calls(calls_of(turn, fields, text), answer);

    ModelOutput output;
    output.completion_id = valid_utf8(message);
    if (message.empty()) output.completion_id = valid_utf8(turn.facts->text("response_id"));
    if (output.completion_id.empty()) output.completion_id = turn.oid.hex();
    event.model_output = std::move(output);
    fill_output(turn, fields, text, event);
    describe_answer(*answer, cut_off, event);
    const bool asks = !answer->calls.empty();
    const bool is_plan = turn.facts->says("purpose", "plan");
    if (!is_of_critic && cut_off.empty() && (asks || !is_plan)) history.answer = answer;
    if (!is_imported) return emit(std::move(event));
    Message waiting{.event = std::move(event), .answer = answer, .id = message};
    waiting.capture = turn.capture;
    waiting.text = text.value_or("");
    waiting.counts_tokens = !remembers(message);
    if (!waiting.counts_tokens) forget_tokens(*waiting.event.model_output);
    message_ = std::move(waiting);
    return {};
  }

  // A summary that says what it took is what a call of a model gave, beside the conversation.
  Result<void> take_summary(const TurnSeen& turn, History& history) {
    ModelOutput output;
    read_usage(*turn.facts, output);
    const bool says_it = output.input_tokens || output.output_tokens || output.cost;
    if (!says_it || history.base.is_run) return {};
    TRY(flush_message());
    DecisionEvent event = event_of(turn, history, EventKind::completion);
    TRY(read_provenance(turn, event.prompt_provenance));
    const auto text = TRY(text_of(reader_, turn));
    output.completion_id = turn.oid.hex();
    output.output_raw = content_of(text, turn);
    if (text) add_structure(*text, turn.capture, output);
    event.model_output = std::move(output);
    event.agent_action.type = AgentAction::Type::other;
    event.agent_action.summary = own_words("the conversation was summarised", turn.capture);
    return emit(std::move(event));
  }

  // Was there an event of this message before, that another message came after? Remembers it.
  bool remembers(const std::string& message) {
    if (std::find(messages_.begin(), messages_.end(), message) != messages_.end()) return true;
    messages_.push_back(message);
    if (messages_.size() > kMostMessages) messages_.pop_front();
    return false;
  }

  static void forget_tokens(ModelOutput& output) {
    output.input_tokens.reset();
    output.output_tokens.reset();
    output.latency_ms.reset();
    output.usage = {};
    output.cost.reset();
  }

  void fill_output(const TurnSeen& turn, const compile::Fields& fields,
                   const std::optional<std::string>& text, DecisionEvent& event) const {
    ModelOutput& output = *event.model_output;
    output.output_raw = content_of(text, turn);
    if (text) add_structure(*text, turn.capture, output);
    add_requested(turn, fields, output);
    read_usage(*turn.facts, output);
  }

  static void add_structure(const std::string& text, Capture mode, ModelOutput& output) {
    output.output_structured.reset();
    if (mode == Capture::hashed) return;
    if (const auto value = structure_of(text)) output.output_structured = content_of(*value, mode);
  }

  static void add_requested(const TurnSeen& turn, const compile::Fields& fields,
                            ModelOutput& output) {
    if (!fields.tool_calls) return;
    for (const compile::ToolCall& call : *fields.tool_calls) {
      output.tool_calls.push_back(
          {valid_utf8(call.id), valid_utf8(call.name), content_of(call.arguments, turn.capture)});
    }
  }

  // What an answer does: it plans, or it says something.
  static void describe_answer(const Answer& answer, const std::string& cut_off,
                              DecisionEvent& event) {
    AgentAction& action = event.agent_action;
    ModelOutput& output = *event.model_output;
    const Capture mode = event.prompt_provenance.capture;
    if (!cut_off.empty()) {
      action.type = AgentAction::Type::other;
      action.summary = own_words("the answer was cut off: " + cut_off, mode);
      event.error_type = valid_utf8(cut_off);
      return;
    }
    action.type = answer.calls.empty() ? AgentAction::Type::message : AgentAction::Type::plan;
    if (answer.calls.empty()) {
      action.summary = summary_of(output.output_raw);
      return;
    }
    action.summary = own_words("asks for " + names_of(answer.calls), mode);
    // What was written as text is as good a call as any.
    if (!output.tool_calls.empty()) return;
    for (const AskedCall& call : answer.calls) {
      output.tool_calls.push_back(
          {{}, valid_utf8(call.name), content_of(call.arguments, answer.capture)});
    }
  }

  void add_calls(std::vector<AskedCall> calls, const SharedAnswer& answer) {
    for (AskedCall& call : calls) {
      const std::string id = call.id;
      answer->calls.push_back(std::move(call));
      if (id.empty()) continue;
      open_[id] = {answer, static_cast<std::int64_t>(answer->calls.size())};
    }
  }

  // Another record of the message.
  Result<void> add_record(const TurnSeen& turn, const compile::Fields& fields,
                          const std::optional<std::string>& text) {
    ModelOutput& output = *message_->event.model_output;
    message_->capture = stricter(message_->capture, turn.capture);
    // Commitments of several texts are not one of them all: the first that says something stays.
    const bool adds_text = text && !text->empty() && message_->capture != Capture::hashed;
    if (adds_text) {
      message_->text += *text;
      message_->adds_in = message_->capture;
    }
    add_requested(turn, fields, output);
    add_calls(calls_of(turn, fields, text), message_->answer);
    if (message_->counts_tokens) read_usage(*turn.facts, output);
    PromptProvenance& provenance = message_->event.prompt_provenance;
    provenance.capture = message_->capture;
    provenance.capture_fields = joined_fields(
        provenance.capture_fields, turn.facts->text("capture_fields"), message_->capture);
    return {};
  }

  Result<void> flush_message() {
    if (!message_) return {};
    Message message = std::move(*message_);
    message_.reset();
    if (message.adds_in) {
      ModelOutput& output = *message.event.model_output;
      output.output_raw = content_of(message.text, *message.adds_in);
      add_structure(message.text, *message.adds_in, output);
    }
    describe_answer(*message.answer, {}, message.event);
    TRY(emit(std::move(message.event)));
    for (DecisionEvent& event : message.behind) TRY(emit(std::move(event)));
    return {};
  }

  // Which call a result is of; nothing: of none that is known.
  std::optional<OpenCall> call_of(const TurnSeen& turn, const compile::Fields& fields,
                                  const History& history) {
    if (const auto found = open_.find(fields.call_id); found != open_.end()) {
      OpenCall call = std::move(found->second);
      open_.erase(found);
      return call;
    }
    const std::int64_t number = turn.integer("call");
    if (!history.base.is_run || !history.answer || number < 1) return std::nullopt;
    const auto key = std::pair(history.answer->commit, number);
    if (last_call_ == key) return std::nullopt;  // It has its result.
    last_call_ = key;
    return OpenCall{history.answer, number};
  }

  Result<void> take_result(const TurnSeen& seen, History& history) {
    const compile::Fields fields = TRY(fields_of(reader_, seen));
    const std::string child = seen.facts->text("subrun");
    if (!child.empty()) TRY(project_child(child, history));
    const auto call = call_of(seen, fields, history);
    DecisionEvent event = event_of(seen, history, EventKind::action);
    TurnSeen turn = seen;
    CallSeen what;
    what.artifact = seen.facts->text("artifact");
    what.tool = seen.facts->text("tool");
    if (call) {
      const Answer& answer = *call->answer;
      turn.capture = stricter(turn.capture, answer.capture);
      const std::string own = std::move(event.prompt_provenance.capture_fields);
      event.prompt_provenance = answer.provenance;
      event.prompt_provenance.capture_fields =
          joined_fields(own, answer.provenance.capture_fields, turn.capture);
      event.span_id = call_span_id(answer.commit, call->number);
      event.parent_span_id = answer.span;
      const auto index = static_cast<std::size_t>(call->number - 1);
      if (index < answer.calls.size()) {
        what.arguments = answer.calls[index].arguments;
        if (what.tool.empty()) what.tool = answer.calls[index].name;
      }
    }
    if (what.tool.empty()) what.tool = fields.name;
    event.prompt_provenance.capture = turn.capture;
    const auto text = TRY(text_of(reader_, seen));
    const bool is_error = fields.is_error || seen.facts->json("is_error").is_true() ||
                          seen.facts->says("outcome", "error");
    const Ending ending = ending_of(turn, text.value_or(""), is_error);
    if (ending.has_failed) event.error_type = "tool_error";
    event.duration_ms = seen.facts->json("duration_ms").integer();
    AgentAction& action = event.agent_action;
    const bool is_refused =
        seen.facts->json("refused_by").is_string() ||
        (is_error && seen.facts->says("source", "claude-code") &&
         text.value_or("").starts_with("The user doesn't want to proceed with this tool use"));
    action.type = type_of(what);
    describe_call(what, turn, action);
    if (is_refused) {
      event.error_type = "blocked";
      action.type = AgentAction::Type::blocked;
    } else {
      action.artifacts =
          TRY(artifacts_of(reader_, turn, action.type, what, text.value_or(""), ending));
    }
    ToolResult result;
    result.call_id = valid_utf8(fields.call_id);
    result.name = valid_utf8(what.tool);
    result.arguments = call ? content_of(what.arguments, turn.capture) : unknown_content();
    result.is_error = ending.has_failed;
    result.output = content_of(text, seen);
    action.tool_results.push_back(std::move(result));
    if (message_ && !history.base.is_run) {
      message_->behind.push_back(std::move(event));
      return {};
    }
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
    std::string with = line_of(call);
    if (with.empty()) with = path_of(call).value_or("");
    if (with.empty()) {
      for (const std::string& path : changed_by(call)) with += (with.empty() ? "" : ", ") + path;
    }
    if (with.empty() && call.arguments != "{}") with = call.arguments;
    const Content whole = content_of(with.empty() ? tool : tool + " " + with, turn.capture);
    action.summary = summary_of(whole);
  }

  Result<void> project_child(const std::string& id, const History& history) {
    if (level_ >= kMostLevels) return {};
    const auto run = agent::find_run(repository_, id);
    if (!run) {
      if (run.error().code == store::Error::Code::not_found) return {};
      return run.error();
    }
    const auto root = TRY(reader_.commit(run->root));
    FactsView facts;
    TRY(facts.read(root->meta));
    if (!facts.says("caller_run", history.base.session.run_id)) return {};
    Impl child(repository_, *run, options_, level_ + 1);
    TRY(child.advance(run->head, run->critic, *sink_));
    return child.finish(*sink_);
  }

  Result<void> take_failed_call(const TurnSeen& turn, History& history) {
    DecisionEvent event = event_of(turn, history, EventKind::failed_call);
    TRY(read_provenance(turn, event.prompt_provenance));
    event.agent_action.type = AgentAction::Type::other;
    event.error_type = valid_utf8(turn.facts->text("failure"));
    event.duration_ms = turn.facts->json("latency_ms").integer();
    std::string summary = "the call of a model failed: " + turn.facts->text("failure");
    if (const auto status = turn.facts->json("status").integer()) {
      summary += fmt::format(" ({})", *status);
    }
    event.agent_action.summary = own_words(summary, turn.capture);
    return emit(std::move(event));
  }

  Result<void> take_end(const TurnSeen& turn, History& history) {
    TRY(take_critic(std::nullopt));
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
    // Of a run that was stopped the answer is merely the last thing that it saw.
    const bool has_answer =
        turn.facts->says("stopped", "goal_achieved") && !turn.facts->json("no_answer");
    if (has_answer) {
      action.type = AgentAction::Type::message;
      action.summary = summary_of(content_of(TRY(text_of(reader_, turn)), turn));
    } else {
      action.type = AgentAction::Type::no_op;
      action.summary = own_words("the run stopped: " + turn.facts->text("stopped"), turn.capture);
      if (turn.facts->says("stopped", "error")) event.error_type = "run_error";
    }
    return emit(std::move(event));
  }

  const compile::Repository& repository_;
  const store::Reader& reader_;
  const std::optional<agent::RunName> run_;
  const EventOptions options_;
  const int level_;
  BundleReader bundles_;
  const Sink* sink_ = nullptr;  // Of the call that is under way.
  std::optional<Oid> reached_;  // What was read last,
  std::optional<Oid> critic_;   // and of the critic's chain.
  std::deque<NamedCommit> critics_;
  std::map<std::string, History> runs_;
  std::optional<History> plain_;
  std::unordered_map<std::string, OpenCall> open_;  // By the id of the call.
  std::optional<std::pair<Oid, std::int64_t>> last_call_;
  std::optional<Message> message_;
  std::deque<std::string> messages_;  // Ids of the last ones.
};

Projection::Projection(const compile::Repository& repository, std::optional<agent::RunName> run,
                       EventOptions options)
    : impl_(std::make_unique<Impl>(repository, std::move(run), std::move(options), 0)) {}

Projection::~Projection() = default;

Result<void> Projection::advance(const Oid& head, const std::optional<Oid>& critic,
                                 const Sink& sink) {
  return impl_->advance(head, critic, sink);
}

Result<void> Projection::finish(const Sink& sink) { return impl_->finish(sink); }

Result<void> project(const compile::Repository& repository,
                     const std::optional<agent::RunName>& run, const Oid& head,
                     const EventOptions& options, const Projection::Sink& sink) {
  Projection projection(repository, run, options);
  TRY(projection.advance(head, run ? run->critic : std::nullopt, sink));
  return projection.finish(sink);
}

}  // namespace spoor::audit
