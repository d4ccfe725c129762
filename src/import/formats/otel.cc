#include "import/importers.h"
#include "import/records.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/find_text.h"
#include "base/json/writer.h"
#include "import/chat_message.h"
#include "import/content.h"
#include "import/conversations.h"
#include "import/known_turns.h"
#include "llm/otel/span.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;
using llm::otel::Meaning;
using llm::otel::Span;

constexpr std::size_t kMostReason = 64;  // Bytes of a finish reason.

// --- Messages -----------------------------------------------------------------------

/// Adds a call in a span's form to an answer: with `name` and `arguments`, `function`, `toolName`
/// and `input`, or `tool.name` and `tool.args`. Returns false if it is not a call.
bool add_otel_call(const json::Value& outer, Turn& answer, Taken& taken) {
  const json::Value inner = outer.find("tool_call");
  const json::Value call = inner.is_object() ? inner : outer;
  const json::Value function = call.find("function");
  const json::Value named = function.is_object() ? function : call;
  const json::Value name = find_any(named, {"name", "toolName", "tool.name"});
  if (!name.is_string() || name.text().empty()) return false;
  const json::Value arguments = find_any(named, {"arguments", "input", "args", "tool.args"});
  std::string id = taken.word(find_any(call, {"id", "toolCallId"}));
  std::string called = taken.text(name);
  taken(call, "type");
  add_tool_call(answer, {std::move(id), std::move(called), text_or_bytes(taken(arguments))});
  return true;
}

class OtelReader {
 public:
  OtelReader(Type type, TurnRecord& made) : type_(type), made_(made), taken_(made.taken()) {}

  void read(const json::Value& message) {
    taken_(message, "role");
    const json::Value content = message.find("content");
    if (content.is_string()) run().text += taken_.text(content);
    for (const char* key : {"parts", "content", "contents"}) {
      for (const json::Value& part : message.find(key).elements()) add_part(part);
    }
    if (type_ == Type::assistant) {
      for (const json::Value& call : message.find("tool_calls").elements()) {
        add_otel_call(call, run(), taken_);
      }
    }
    if (!made_.has_turns()) run();
    Turn& last = made_.turns().back();
    if (last.type != Type::tool || !last.fields.call_id.empty()) return;
    last.fields.call_id = taken_.word(message, "tool_call_id");
    last.fields.name = taken_.text(message, "name");
  }

 private:
  Turn& run() { return made_.run(type_); }

  void add_part(const json::Value& outer) {
    const json::Value inner = outer.find("message_content");
    const json::Value part = inner.is_object() ? inner : outer;
    std::string kind = part.find("type").text();
    std::replace(kind.begin(), kind.end(), '-', '_');
    const json::Value text = find_any(part, {"content", "text"});
    if (part.is_string()) {
      run().text += taken_.text(part);
    } else if (kind == "reasoning" || kind == "thinking") {
      made_.start_reasoning(text, "parsed");
      taken_(part, "type");
    } else if (kind == "tool_call" && type_ == Type::assistant) {
      add_otel_call(part, run(), taken_);
    } else if (kind == "tool_call_response" || kind == "tool_result") {
      add_result(part);
    } else if (auto picture = picture_of(part.find("mime_type").text(), text.text())) {
      run().attach.push_back(std::move(*picture));
      taken_(text);
    } else if (text.is_string()) {
      run().text += taken_.text(text);
      if (kind == "text") taken_(part, "type");
    }
  }

  void add_result(const json::Value& part) {
    Turn& turn = made_.start(Type::tool);
    turn.fields.call_id = taken_.word(find_any(part, {"id", "toolCallId"}));
    turn.fields.name = taken_.text(find_any(part, {"name", "toolName"}));
    const json::Value response = find_any(part, {"response", "result", "output"});
    const json::Value value = response.find("value");
    turn.text = text_or_bytes(taken_(value ? value : response));
    taken_(part, "type");
  }

  Type type_;
  TurnRecord& made_;
  Taken& taken_;
};

/// Returns true if a message has the form of a chat API.
bool is_plain_chat(const json::Value& message) {
  if (!is_chat_message(message) || message.find("parts") || message.find("contents")) return false;
  for (const json::Value& call : message.find("tool_calls").elements()) {
    if (call.find("tool_call")) return false;
  }
  for (const json::Value& part : message.find("content").elements()) {
    const std::string kind = part.find("type").text();
    if (kind == "tool-call" || kind == "tool-result" || kind == "reasoning") return false;
  }
  return true;
}

/// Makes the turns of a message in a span's form: with `parts` (OpenTelemetry), wrapped in
/// `message` (OpenInference), with parts called `tool-call` (the AI SDK), or as in a chat API.
/// `role` is used if the message has none.
///
/// Sources: llm/otel/dialect.h.
void add_otel_message(const json::Value& outer, std::string_view role, TurnRecord& made) {
  const json::Value inner = outer.find("message");
  const json::Value message = inner.is_object() ? inner : outer;
  if (!inner && is_plain_chat(message)) return add_chat_turns(message, {}, made);
  const std::string told = message.find("role").text();
  OtelReader(type_of_role(told.empty() ? role : told), made).read(message);
}

// --- Spans --------------------------------------------------------------------------

class OtelSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    std::vector<Span> spans;
    TRY(llm::otel::for_each_span(root, [&](Span span) -> Result<void> {
      spans.push_back(std::move(span));
      return {};
    }));
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span& a, const Span& b) { return a.start < b.start; });
    Taken read;
    for (const Span& span : spans) {
      TRY(add_span(span));
      TRY(flush_if_full());
      read(span.record);
    }
    TRY(add_results());
    return keep_rest(root, read, "trace");
  }

  Result<void> finish() override {
    keep_placed();
    return {};
  }

 private:
  /// A run of a tool, kept until the message with its result comes.
  struct ToolRun {
    std::string call;  // Empty: unknown; OpenInference's spans of LlamaIndex have none.
    std::string name;
    std::string result;
    std::string trace;
    std::optional<Timestamp> end;
    std::optional<std::int64_t> took;
    bool has_failed = false;
  };

  using Call = GivenMessage::Call;

  Result<void> add_span(const Span& span) {
    const std::string operation = span.text(Meaning::operation);
    const std::string kind = span.text(Meaning::span_kind);
    if (operation == "execute_tool" || kind == "TOOL" || kind == "tool" ||
        span.name == "ai.toolCall") {
      std::string result = span.text(Meaning::tool_result);
      if (result.empty()) result = span.text(Meaning::output_messages);
      if (result.empty() && span.has_failed()) result = span.failure();
      ran_.push_back({span.text(Meaning::tool_call_id), span.text(Meaning::tool_name),
                      std::move(result), span.trace, span.end, span.duration_ms(),
                      span.has_failed()});
    } else {
      TRY(add_call(span));
    }
    return keep(span.record, "span", true, span.start);
  }

  /// A JSON list of messages from an attribute, as a string or a value, or from several; empty if
  /// there is none.
  class List {
   public:
    List(const Span& span, Meaning meaning) {
      const json::Value found = span.find(meaning);
      text_ = found ? text_or_bytes(found) : span.spread(meaning);
      if (text_.empty()) return;
      if (!found) {
        document_ = read_again(text_);
      } else if (auto list = json::parse(text_); list && list->root().is_array()) {
        document_ = std::move(list).value();
      }
    }
    List(const List&) = delete;
    List& operator=(const List&) = delete;

    json::Value root() const { return document_.root(); }
    bool empty() const { return !root(); }

   private:
    std::string text_;
    json::Document document_;
  };

  /// Adds a model's call: its input and its output.
  Result<void> add_call(const Span& span) {
    const List given(span, Meaning::input_messages);
    const List said(span, Meaning::output_messages);
    std::string text;
    if (said.empty()) {
      text = span.text(Meaning::output_text);
      if (text.empty()) text = span.text(Meaning::output_messages);
    }
    const List calls(span, Meaning::output_calls);
    // Spans around the model's own repeat its answer, and have no messages.
    const bool is_call = !given.empty() || !span.text(Meaning::operation).empty();
    if (!is_call || (given.empty() && said.empty() && text.empty() && calls.empty())) return {};

    if (given.empty()) {
      if (trace_ != span.trace || !tip()) TRY(begin_capture(span));
      TRY(add_results());
    } else {
      TRY(begin_capture(span));
      const std::string told = instructions_of(span);
      const json::Document instructions = read_again(told);
      TRY(check_placed(instructions.root(), given.root()));
      TRY(add_messages_of(instructions.root(), "system"));
      TRY(add_messages_of(given.root(), "user"));
    }
    const json::Value list = said.root();
    if (is_list_of_calls(list)) {
      TRY(add_answer(span, "", list));
    } else {
      for (const json::Value& message : list.elements())
        TRY(add_message_of(message, "assistant", &span));
      if (!text.empty() || !calls.empty()) TRY(add_answer(span, text, calls.root()));
    }
    return {};
  }

  Result<void> begin_capture(const Span& span) {
    if (trace_ != span.trace) TRY(add_results());
    const std::string id = span.text(Meaning::conversation);
    const std::string before = conversation();
    const std::string name = id.empty() ? span.trace : id;
    const bool is_other = name != before || options().keep_source;
    if (is_other) keep_placed();
    begin(name);
    trace_ = span.trace;
    open_.clear();
    made_ = 0;
    at_ = 0;
    if (!is_other) return {};
    placed_.clear();
    has_noted_ = false;
    if (GivenMessages* given = given_messages()) placed_ = given->take(name);
    is_of_earlier_source_ = !placed_.empty();
    return {};
  }

  static bool is_list_of_calls(const json::Value& list) {
    return first_of(list).find("tool.name").is_string();
  }

  /// Returns a list of the system message that a span tells apart from others; empty if there is
  /// none.
  static std::string instructions_of(const Span& span) {
    const json::Value found = span.find(Meaning::instructions);
    if (!found) return {};
    const std::string text = text_or_bytes(found);
    const json::Document parts = read_again(text);
    json::Object message;
    if (parts.root().is_array()) {
      message.add_value("parts", parts.root());
    } else {
      message.add_string("content", text);
    }
    message.add_string("role", "system");
    return "[" + message.write() + "]";
  }

  GivenMessages* given_messages() const {
    return options().lines == nullptr || options().keep_source ? nullptr
                                                               : &options().lines->given();
  }

  /// Keeps the messages for the next source, with the commits that they have in the end.
  void keep_placed() {
    GivenMessages* given = given_messages();
    if (given == nullptr || has_noted_) return;
    std::size_t count = 0;
    for (; count < placed_.size(); ++count) {
      const auto tip = writer().decided(placed_[count].tip);
      if (!tip) break;
      placed_[count].tip = *tip;
    }
    placed_.resize(count);
    if (!placed_.empty()) given->put(conversation(), std::exchange(placed_, {}));
  }

  /// Forgets the messages of an earlier source that this call was not given. All are forgotten if
  /// the two differ before the model's first answer, or if the store no longer has the turns.
  Result<void> check_placed(const json::Value& instructions, const json::Value& given) {
    if (!std::exchange(is_of_earlier_source_, false)) return {};
    std::size_t same = 0;
    const auto is_same = [&](const json::Value& list, std::string_view role) {
      for (const json::Value& message : list.elements()) {
        const bool is_it = same < placed_.size() && placed_[same].role == role &&
                           placed_[same].message == message.raw();
        if (!is_it) return false;
        ++same;
      }
      return true;
    };
    (void)(is_same(instructions, "system") && is_same(given, "user"));
    placed_.resize(same);
    const bool is_known = !placed_.empty() && placed_.back().is_behind_front &&
                          TRY(writer().go_on_after(placed_.back().tip));
    if (!is_known) placed_.clear();
    return {};
  }

  Result<void> add_messages_of(const json::Value& list, std::string_view role) {
    for (const json::Value& message : list.elements()) TRY(add_given(message, role));
    return {};
  }

  /// Adds a message that a model was given. Each call repeats those of the call before it, so their
  /// turns are known.
  Result<void> add_given(const json::Value& message, std::string_view role) {
    const std::size_t at = at_++;
    if (at < placed_.size()) {
      const GivenMessage& known = placed_[at];
      if (known.role == role && known.message == message.raw() && !awaits_run(known)) {
        go_on_to(known.tip);
        open_ = known.open;
        made_ = known.made;
        report().records += 1;
        report().turn_records += 1;
        report().met_turns += known.met;
        for (const std::string& type : known.turns) report().turns[type] += 1;
        return {};
      }
      placed_.resize(at);
    }
    const std::uint64_t met = report().met_turns;
    const std::size_t notes = writer().note_count();
    GivenMessage placed{std::string(role), std::string(message.raw())};
    TRY(add_message_of(message, role, nullptr, &placed));
    placed.open = open_;
    placed.made = made_;
    placed.met = report().met_turns - met;
    // A note is written again with each repetition.
    if (!tip() || writer().note_count() != notes) placed.message.clear();
    has_noted_ = has_noted_ || writer().note_count() != notes;
    if (tip()) placed.tip = *tip();
    placed.is_behind_front = tip() && writer().decided(*tip());
    placed_.push_back(std::move(placed));
    return {};
  }

  // Whether a tool's span, which was read since, has times for a result in this message.
  bool awaits_run(const GivenMessage& known) const {
    return std::any_of(ran_.begin(), ran_.end(), [&](const ToolRun& ran) {
      return std::find(known.answered.begin(), known.answered.end(), ran.call) !=
             known.answered.end();
    });
  }

  /// `span`: the span of an answer; null for input. `placed`: learns what the turns are, if not
  /// null.
  Result<void> add_message_of(const json::Value& message, std::string_view role, const Span* span,
                              GivenMessage* placed = nullptr) {
    TurnRecord made(message, tool());
    made.fact_text(fact::session, conversation());
    add_otel_message(message, role, made);
    if (span != nullptr) add_answer_facts(*span, made);
    for (Turn& turn : made.turns()) {
      learn(turn);
      if (placed == nullptr) continue;
      placed->turns.emplace_back(store::name_of(turn.type));
      if (turn.type == Type::tool) placed->answered.push_back(turn.fields.call_id);
    }
    return add_turns(made, label_of("message", role));
  }

  /// Adds an answer that is not a message in the span: a text, and calls.
  Result<void> add_answer(const Span& span, const std::string& text, const json::Value& calls) {
    writer().see_record(span.record.raw());
    const std::string nothing = "{}";
    const json::Document document = read_again(nothing);
    TurnRecord made(calls ? calls : document.root(), tool());
    made.fact_text(fact::session, conversation());
    Turn& turn = made.start(Type::assistant);
    turn.text = text;
    for (const json::Value& call : calls.elements()) add_otel_call(call, turn, made.taken());
    add_answer_facts(span, made);
    learn(turn);
    return add_turns(made, "answer");
  }

  void add_answer_facts(const Span& span, TurnRecord& made) const {
    const std::string answered = span.text(Meaning::response_model);
    const std::string model = answered.empty() ? span.text(Meaning::request_model) : answered;
    made.set_model({}, model);
    made.made_fact_text(fact::provider, span.text(Meaning::provider));
    made.made_fact_text(fact::message_id, span.text(Meaning::response_id));
    for (Turn& turn : made.turns()) turn.time = span.end;
    Turn& last = made.turns().back();
    const std::string reason = span.text(Meaning::finish_reason);
    if (!reason.empty() && reason.size() <= kMostReason)
      last.facts.set(fact::finish_reason, reason);
    if (const auto took = span.duration_ms()) last.facts.set(fact::latency_ms, *took);
    const std::string usage = usage_of(span);
    if (!usage.empty()) last.facts.set(fact::usage, usage);
  }

  /// Returns the usage with the member names of the chat API, whose counts mean the same.
  static std::string usage_of(const Span& span) {
    json::Object usage;
    const auto add = [&](json::Object& to, std::string_view key, Meaning meaning) {
      const std::string digits = word_of(span.find(meaning));
      const auto document = json::parse(digits);
      const auto count = document ? document->root().integer() : std::nullopt;
      if (count && *count >= 0 && *count <= json::kMaxExactInteger) to.add_integer(key, *count);
    };
    json::Object completion, prompt;
    add(completion, "reasoning_tokens", Meaning::reasoning_tokens);
    add(prompt, "cached_tokens", Meaning::cached_tokens);
    add(prompt, "cache_write_tokens", Meaning::cache_write_tokens);
    add(usage, "completion_tokens", Meaning::output_tokens);
    if (!completion.empty()) usage.add_json("completion_tokens_details", completion.write());
    add(usage, "prompt_tokens", Meaning::input_tokens);
    if (!prompt.empty()) usage.add_json("prompt_tokens_details", prompt.write());
    return usage.empty() ? std::string() : usage.write();
  }

  /// Names calls without an id by their number. Adds the times of a tool's span to its result.
  void learn(Turn& turn) {
    if (turn.fields.tool_calls) {
      for (compile::ToolCall& call : *turn.fields.tool_calls) {
        made_ += 1;
        const bool is_named = !call.id.empty();
        if (!is_named) call.id = "call-" + std::to_string(made_);
        open_.push_back({call.id, call.name, is_named});
      }
    }
    if (turn.type != Type::tool) return;
    std::string& id = turn.fields.call_id;
    auto call =
        std::find_if(open_.begin(), open_.end(), [&](const Call& each) { return each.id == id; });
    if (call == open_.end()) {  // A call without an id is answered by its name.
      call = std::find_if(open_.begin(), open_.end(),
                          [&](const Call& each) { return !each.is_named && each.name == id; });
    }
    std::string name = turn.fields.name;
    if (call != open_.end()) {
      id = call->id;
      name = call->name;
      std::erase_if(open_, [&](const Call& each) { return each.id == id; });
    }
    const auto ran = std::find_if(ran_.begin(), ran_.end(), [&](const ToolRun& each) {
      if (each.call.empty()) return each.name == name && has_given(each, turn.text);
      return each.call == id;
    });
    if (ran == ran_.end()) return;
    add_times(*ran, turn);
    ran_.erase(ran);
  }

  /// Returns true if a run in this trace has a text in its result, which may be JSON.
  bool has_given(const ToolRun& ran, const std::string& text) const {
    if (text.empty() || ran.trace != trace_) return false;
    std::string escaped;
    json::append_escaped(escaped, text);
    return holds_text(ran.result, text) || holds_text(ran.result, escaped);
  }

  static void add_times(const ToolRun& ran, Turn& turn) {
    turn.time = ran.end;
    turn.fields.is_error = turn.fields.is_error || ran.has_failed;
    if (ran.took) turn.facts.set(fact::duration_ms, *ran.took);
  }

  /// Adds results that no message contained, for calls of the last answer of this trace.
  Result<void> add_results() {
    for (ToolRun& ran : std::exchange(ran_, {})) {
      if (ran.trace != trace_) {
        ran_.push_back(std::move(ran));  // Its trace comes later.
        continue;
      }
      const auto call = std::find_if(open_.begin(), open_.end(), [&](const Call& each) {
        const bool has_ids = each.is_named && !ran.call.empty();
        return has_ids ? each.id == ran.call : each.name == ran.name;
      });
      if (call == open_.end()) continue;  // Its span is a note.
      const std::string nothing = "{}";
      const json::Document document = read_again(nothing);
      TurnRecord made(document.root(), tool());
      made.fact_text(fact::session, conversation());
      Turn& turn = made.start(Type::tool);
      turn.text = ran.result;
      turn.fields.call_id = call->id;
      turn.fields.name = ran.name;
      add_times(ran, turn);
      open_.erase(call);
      TRY(add_turns(made, "tool"));
    }
    return {};
  }

  std::vector<ToolRun> ran_;
  std::vector<Call> open_;             // Calls without a result so far.
  std::string trace_;                  // The conversation's.
  int made_ = 0;                       // The number of its calls.
  std::vector<GivenMessage> placed_;   // What the last call was given.
  bool is_of_earlier_source_ = false;  // That is not checked yet.
  bool has_noted_ = false;             // Of given messages.
  std::size_t at_ = 0;                 // The number of messages in this capture.
};

int score_otel(const Head& head) {
  return llm::otel::holds_spans(head.first()) ? score::kSigned : score::kNone;
}

}  // namespace

/// Reads traces of models' calls: OTLP/JSON with the GenAI conventions of OpenTelemetry or with
/// those of OpenInference, and exports of Jaeger, Tempo and SDKs (llm/otel/span.h). The input
/// messages and the answer of a span are a capture of a conversation. Captures of one conversation
/// share turns, so a trace becomes its longest history. A span without messages continues the
/// conversation of its trace. Results get their times from the spans of tools. Each span is kept as
/// a note, byte for byte.
const Importer kOtel = {"otel", "OpenTelemetry", score_otel, import_documents_into<OtelSink>};

}  // namespace spoor::import::formats
