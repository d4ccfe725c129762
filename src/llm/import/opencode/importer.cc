#include "llm/import/opencode/importer.h"

#include <utility>

#include "compile/json/python.h"
#include "compile/json/writer.h"
#include "llm/import/data_url.h"
#include "llm/import/head.h"
#include "llm/import/responses_item.h"
#include "llm/import/session_sink.h"
#include "llm/import/thinking_item.h"
#include "llm/money.h"

namespace spoor::llm::import::opencode {
namespace {

using compile::ToolCall;
using compile::Turn;
using compile::Type;

// Of the facts that a step has of its own; what is longer stays where it is.
constexpr std::size_t kMostName = 128;
constexpr std::size_t kMostUsage = 1'024;
constexpr std::size_t kMostReason = 64;
constexpr std::size_t kMostCost = 32;
constexpr std::size_t kStepFacts = kMostName + kMostUsage + kMostReason + kMostCost + 128;

/// The turns of one message. An answer of several steps is several messages of the provider.
class Message {
 public:
  explicit Message(TurnRecord& made) : made_(made), info_(made.root().find("info")) {}

  void make() {
    for (const json::Value& part : made_.root().find("parts").elements()) {
      const std::string type = part.find("type").text();
      if (is_user()) {
        if (!add_given(part, type)) continue;
      } else if (type == "reasoning") {
        add_results();
        Turn& turn = start(Type::reasoning);
        turn.text = made_.taken().text(part, "text");
        turn.fields.format = "parsed";
        take_signature(part, turn);
        in_run_ = false;
        take_time(part.find("time"), turn);
      } else if (type == "text") {
        add_results();
        Turn& turn = run();
        turn.text += made_.taken().text(part, "text");
        take_time(part.find("time"), turn);
      } else if (type == "tool") {
        add_call(part);
      } else if (type == "step-finish") {
        end_step(part);
      } else {
        continue;  // Snapshots, patches, files: with the rest.
      }
      take(part, "type");
    }
    add_results();
    if (!made_.has_turns()) start(is_user() ? Type::user : Type::assistant);
  }

 private:
  bool is_user() const { return info_.find("role").equals("user"); }
  json::Value take(const json::Value& object, std::string_view key) {
    return made_.taken()(object, key);
  }

  Turn& start(Type type) {
    Turn& turn = made_.start(type);
    if (type == Type::assistant || type == Type::reasoning) {
      std::string name = info_.find("id").text();
      if (name.size() > kMostName) name = RecordKey::of(name).hex(32);
      if (step_ > 0) name += "/" + std::to_string(step_ + 1);
      turn.facts.set(fact::message_id, name);
    }
    return turn;
  }

  Turn& run() {
    return std::exchange(in_run_, true) ? made_.turns().back() : start(Type::assistant);
  }

  /// The AI SDK keeps what the provider must get back under the provider's name.
  void take_signature(const json::Value& part, Turn& turn) {
    const json::Value anthropic = part.find("metadata").find("anthropic");
    const json::Value signature = anthropic.find("signature");
    const json::Value redacted = anthropic.find("redactedData");
    if (signature.is_string() && !says_nothing(signature)) {
      set_thinking_item(part.find("text"), signature, turn, made_.taken());
    } else if (redacted.is_string() && !says_nothing(redacted)) {
      set_redacted_item(redacted, turn, made_.taken());
    }
  }

  void take_time(const json::Value& time, Turn& turn) {
    if (turn.time) return;
    turn.time = time_of(time.find("start"));
    if (turn.time) take(time, "start");
  }

  /// What was typed, and what the program put beside it: each a turn. Was it one of these?
  bool add_given(const json::Value& part, const std::string& type) {
    if (type == "text") {
      Turn& turn = start(Type::user);
      turn.text = made_.taken().text(part, "text");
      const bool is_typed = !part.find("synthetic").is_true();
      if (is_typed) turn.author = "user";
      if (!is_typed) turn.facts.set(fact::injected, true);
      if (!is_typed) take(part, "synthetic");
    } else if (auto picture = picture_in(part.find("url").text()); picture && type == "file") {
      Turn& turn = made_.has_turns() ? made_.turns().back() : start(Type::user);
      turn.attach.push_back(std::move(*picture));
      take(part, "url");
    } else {
      return false;
    }
    return true;
  }

  void add_call(const json::Value& part) {
    const json::Value state = part.find("state");
    Turn& turn = run();
    Taken& taken = made_.taken();
    ToolCall call{taken.word(part, "callID"), taken.text(part, "tool"),
                  std::string(take(state, "input").raw())};
    const std::string status = state.find("status").text();
    if (status == "completed" || status == "error") {
      take(state, "status");
      Turn result{.type = Type::tool};
      result.fields.call_id = call.id;
      result.fields.name = call.name;
      result.fields.is_error = status == "error";
      const json::Value error = state.find("error");
      const bool has_error = result.fields.is_error && !says_nothing(error);
      result.text = take_content(has_error ? error : state.find("output"), result, taken);
      result.time = time_of(state.find("time").find("end"));
      if (result.time) take(state.find("time"), "end");
      const json::Value metadata = state.find("metadata");
      take_exit_code(metadata.find("exit"), result, taken);
      const json::Value diff = metadata.find("filediff");
      add_line_counts(diff.find("additions").integer(), diff.find("deletions").integer(), result);
      if (metadata.find("exists").is_false()) add_line_counts({}, 0, result);  // A new file.
      results_.push_back(std::move(result));
    }
    add_tool_call(turn, std::move(call));
  }

  /// Results come behind all calls that were made together.
  void add_results() {
    if (results_.empty()) return;
    for (Turn& result : std::exchange(results_, {})) {
      made_.start(Type::tool) = std::move(result);
    }
    in_run_ = false;
  }

  /// Models without a known price cost 0 here.
  static void take_cost(const json::Value& cost, Turn& turn) {
    const auto money = parse_dollars(cost.raw());
    if (!cost.is_number() || !money || *money == Money()) return;
    std::string written;
    json::append_canonical(written, cost);
    if (written.size() <= kMostCost) turn.facts.set(fact::cost_usd, written);
  }

  void end_step(const json::Value& part) {
    if (made_.has_turns() && made_.turns().back().type != Type::tool) {
      Turn& turn = made_.turns().back();
      std::string usage;
      const json::Value tokens = part.find("tokens");
      if (!says_nothing(tokens) && !json::has_python_word(tokens)) {
        json::append_canonical(usage, tokens);
      }
      if (!usage.empty() && usage.size() <= kMostUsage) {
        turn.facts.set(fact::usage, usage);
        made_.taken()(tokens);
      }
      take_cost(part.find("cost"), turn);
      const std::string reason = part.find("reason").text();
      if (!reason.empty() && reason.size() <= kMostReason)
        turn.facts.set(fact::finish_reason, reason);
    }
    add_results();
    in_run_ = false;
    ++step_;
  }

  TurnRecord& made_;
  json::Value info_;
  std::vector<Turn> results_;
  bool in_run_ = false;
  int step_ = 0;
};

class OpenCodeSink final : public SessionSink {
 public:
  using SessionSink::SessionSink;

  Result<void> add(const json::Value& root) override {
    writer().name_session(short_name(root.find("info").find("id").text()));
    for (const json::Value& message : root.find("messages").elements()) {
      TRY(add_message(message));
      TRY(breathe());
    }
    Taken taken;
    taken(root, "messages");
    return keep_rest(root, taken, "session");
  }

 private:
  /// All ids begin alike; a line is called by the eight digits that follow.
  static std::string short_name(const std::string& id) {
    constexpr std::string_view kPrefix = "ses_";
    return id.starts_with(kPrefix) ? id.substr(kPrefix.size()) : id;
  }

  Result<void> add_message(const json::Value& message) {
    see(message);
    const json::Value info = message.find("info");
    const std::string role = info.find("role").text();
    if (role != "user" && role != "assistant") return keep(message, label_of(role), false);
    TurnRecord made(message, tool());
    made.reserve(kStepFacts);
    made.fact(fact::session, info.find("sessionID"));
    made.fact(fact::uuid, info.find("id"));
    made.fact(fact::cwd, info.find("path").find("cwd"));
    made.made_fact(fact::provider, info.find("providerID"));
    made.made_fact(fact::model, info.find("modelID"));
    made.taken()(info, "role");
    if (role == "assistant") made.set_author(info.find("modelID").text());
    Message(made).make();
    bool has_usage = false;  // Of its steps, then.
    bool needs_time = false;
    std::string reason;
    for (const Turn& turn : made.turns()) {
      has_usage = has_usage || !turn.facts.json(fact::usage).empty();
      if (!turn.facts.json(fact::finish_reason).empty())
        reason = turn.facts.get(fact::finish_reason);
      needs_time = needs_time || !turn.time;
    }
    if (!has_usage) made.last_fact(fact::usage, info.find("tokens"));
    if (reason.empty()) made.last_fact(fact::finish_reason, info.find("finish"));
    if (!reason.empty() && info.find("finish").equals(reason)) made.taken()(info, "finish");
    if (needs_time) made.set_time(info.find("time").find("created"));
    take_names(message, made.taken());
    return add_turns(made, label_of(role));
  }

  /// Each part names its message and session again.
  static void take_names(const json::Value& message, Taken& taken) {
    const json::Value info = message.find("info");
    for (const json::Value& part : message.find("parts").elements()) {
      if (part.find("messageID").equals(info.find("id").text())) taken(part, "messageID");
      if (part.find("sessionID").equals(info.find("sessionID").text())) taken(part, "sessionID");
    }
  }
};

}  // namespace

int OpenCodeImporter::score(const Head& head) const {
  const json::Value info = head.first().find("info");
  const json::Value messages = head.first().find("messages");
  if (!info.find("id").is_string() || info.find("role") || !messages.is_array()) {
    return score::kNone;
  }
  for (const json::Value& message : messages.elements()) {
    return message.find("info").is_object() ? score::kOwn : score::kNone;
  }
  return info.find("directory") || info.find("projectID") ? score::kOwn : score::kNone;
}

Result<LossReport> OpenCodeImporter::import(Source& source, compile::Repository& repository,
                                            const ImportOptions& options) const {
  return import_documents_into<OpenCodeSink>(name(), source, repository, options);
}

}  // namespace spoor::llm::import::opencode
