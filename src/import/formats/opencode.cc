#include "import/importers.h"
#include "import/records.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/json/python.h"
#include "base/json/writer.h"
#include "import/content.h"
#include "import/formats/opencode_database.h"
#include "import/head.h"
#include "import/known_agents.h"
#include "llm/money.h"

namespace spoor::import::formats {
namespace {

using compile::Oid;
using compile::ToolCall;
using compile::Turn;
using compile::Type;

// Sizes of a step's facts. A longer value stays in its place.
constexpr std::size_t kMostName = 128;
constexpr std::size_t kMostUsage = 1'024;
constexpr std::size_t kMostReason = 64;
constexpr std::size_t kMostCost = 32;
constexpr std::size_t kStepFacts = kMostName + kMostUsage + kMostReason + kMostCost + 128;

/// OpenCode sends this instead of a subtask's prompt, which is in the call that follows.
constexpr std::string_view kSubtask = "The following tool was executed by the user";

/// The turns of one message. An answer of several steps is several messages of the provider.
class Message {
 public:
  /// `reverted`: the id of the first part that was taken back; empty if there is none.
  Message(TurnRecord& made, std::string reverted)
      : made_(made), info_(made.root().find("info")), reverted_(std::move(reverted)) {}

  void make() {
    for (const json::Value& part : made_.root().find("parts").elements()) {
      const std::string type = part.find("type").text();
      if (!reverted_.empty() && part.find("id").equals(reverted_)) cut();
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
        continue;  // Snapshots, patches and files are attached.
      }
      take(part, "type");
    }
    add_results();
    if (made_.has_turns()) return;
    if (!is_user()) start(Type::assistant);
    if (is_user() && has_file()) start(Type::user);
  }

  /// Returns the number of turns that stay if the message was taken back from a part on.
  std::size_t kept() const { return kept_; }

 private:
  /// Ends the turn before the first part that was taken back.
  void cut() {
    add_results();
    in_run_ = false;
    kept_ = made_.turns().size();
  }

  /// Returns true if the message contains a file that OpenCode sends as a file.
  bool has_file() const {
    for (const json::Value& part : made_.root().find("parts").elements()) {
      const json::Value type = part.find("mime");
      const bool is_text = type.equals("text/plain") || type.equals("application/x-directory");
      if (part.find("type").equals("file") && !is_text) return true;
    }
    return false;
  }

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

  /// Takes a provider's signature, which the AI SDK stores under the provider's name.
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

  /// Adds typed text, or content that the program added, as a turn. Returns false for other parts.
  /// A text that is `ignored` is shown only to the user.
  bool add_given(const json::Value& part, const std::string& type) {
    if (type == "text" && part.find("ignored").is_true()) return false;
    if (type == "subtask") {
      Turn& turn = start(Type::user);
      turn.text = kSubtask;
      turn.facts.set(fact::injected, true);
      return false;  // The whole part is kept.
    }
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

  /// Adds results after all calls that were made together.
  void add_results() {
    if (results_.empty()) return;
    for (Turn& result : std::exchange(results_, {})) {
      made_.start(Type::tool) = std::move(result);
    }
    in_run_ = false;
  }

  /// Adds the cost. Models without a known price cost 0 here.
  static void take_cost(const json::Value& cost, Turn& turn) {
    const auto money = llm::parse_dollars(cost.raw());
    if (!cost.is_number() || !money || *money == llm::Money()) return;
    std::string written;
    json::append_canonical(written, cost);
    if (written.size() <= kMostCost) turn.facts.set(fact::cost_usd, written);
  }

  /// Adds a step's usage to its last turn of the model. A step without content is an empty answer.
  void end_step(const json::Value& part) {
    if (made_.turns().size() == step_begin_) start(Type::assistant);
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
    step_begin_ = made_.turns().size();
  }

  TurnRecord& made_;
  json::Value info_;
  std::string reverted_;
  std::size_t kept_ = 0;
  std::vector<Turn> results_;
  bool in_run_ = false;
  int step_ = 0;
  std::size_t step_begin_ = 0;  // The number of turns before the step.
};

/// Removes the common prefix of ids, so that a line is named by the eight digits after it.
std::string short_name(const std::string& id) {
  const std::string_view prefix = find_agent("opencode")->session_prefix;
  return id.starts_with(prefix) ? id.substr(prefix.size()) : id;
}

class OpenCodeSink final : public SessionSink {
 public:
  using SessionSink::SessionSink;

  Result<void> add(const json::Value& root) override {
    writer().name_session(short_name(root.find("info").find("id").text()));
    revert_ = root.find("info").find("revert");
    shown_.clear();
    places_.clear();
    place_ = 0;
    kept_tip_.reset();
    for (const json::Value& message : root.find("messages").elements()) {
      places_.insert_or_assign(message.find("info").find("id").text(), ++place_);
      TRY(add_message(message));
      TRY(flush_if_full());
    }
    if (kept_tip_) go_back_to(*kept_tip_);
    Taken taken;
    taken(root, "messages");
    return keep_rest(root, taken, "session");
  }

 private:
  Result<void> add_message(const json::Value& message) {
    const json::Value info = message.find("info");
    const std::string role = info.find("role").text();
    if (role != "user" && role != "assistant") return keep(message, label_of(role), false);
    TurnRecord made(message, tool());
    made.reserve(kStepFacts);
    made.fact(fact::session, info.find("sessionID"));
    made.fact(fact::uuid, info.find("id"));
    made.fact(fact::cwd, info.find("path").find("cwd"));
    made.taken()(info, "role");
    const bool is_reverted = info.find("id") && info.find("id").equals(word_of_revert("messageID"));
    Message parts(made, is_reverted ? word_of_revert("partID") : std::string());
    parts.make();
    add_facts_of_steps(info, made);
    made.last_fact(fact::error, info.find("error").find("name"));
    take_names(message, made.taken());
    note_tail(message);
    const std::optional<Oid> before = tip();
    const std::size_t shown = shown_.size();
    const bool is_whole = parts.kept() == 0 || is_summary(info);
    TRY(is_summary(info) ? add_summary(made) : add_said(info, made, label_of(role)));
    if (!is_reverted || kept_tip_) return {};
    kept_tip_ = is_whole ? before : shown_[shown + parts.kept() - 1].turn;
    return {};
  }

  /// Adds facts of the whole message, unless its steps have them.
  void add_facts_of_steps(const json::Value& info, TurnRecord& made) {
    bool has_usage = false;  // Its steps have it.
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
  }

  Result<void> add_said(const json::Value& info, TurnRecord& made, const std::string& label) {
    made.made_fact(fact::provider, info.find("providerID"));
    made.made_fact(fact::model, info.find("modelID"));
    if (info.find("role").equals("assistant")) made.set_author(info.find("modelID").text());
    std::vector<Oid> commits;
    TRY(add_turns(made, label, &commits));
    for (const Oid& commit : commits) shown_.push_back({commit, place_});
    return {};
  }

  std::string word_of_revert(std::string_view key) const { return revert_.find(key).text(); }

  // --- Compaction -----------------------------------------------------------

  /// Notes the tail of a compaction. That is a user message with the id of the first message that
  /// stays, and the answer to it.
  void note_tail(const json::Value& message) {
    for (const json::Value& part : message.find("parts").elements()) {
      if (!part.find("type").equals("compaction")) continue;
      const auto found = places_.find(part.find("tail_start_id").text());
      tail_ = found == places_.end() ? place_ : found->second;
    }
  }

  /// Returns true if a message is a finished summary without an error, which OpenCode uses.
  static bool is_summary(const json::Value& info) {
    return info.find("role").equals("assistant") && info.find("summary").is_true() &&
           says_nothing(info.find("error")) &&
           (!says_nothing(info.find("finish")) ||
            !says_nothing(info.find("time").find("completed")));
  }

  /// Adds a summary, which replaces all turns before the tail for the model.
  Result<void> add_summary(TurnRecord& made) {
    const json::Value info = made.root().find("info");
    made.fact(fact::provider, info.find("providerID"));
    made.fact(fact::model, info.find("modelID"));
    const std::size_t tail = std::exchange(tail_, std::nullopt).value_or(place_);
    bool has_summary = false;
    for (Turn& turn : made.finish(report())) {
      if (turn.type == Type::assistant && !std::exchange(has_summary, true)) {
        turn.type = Type::summary;
        TRY(add_compress(turn, tail));
      } else {
        set_tip(TRY(writer().append(tip(), turn)));
        shown_.push_back({*tip(), place_});
      }
    }
    return count_turns(made);
  }

  Result<void> add_compress(const Turn& summary, std::size_t tail) {
    const auto stays = [&](const VisibleTurn& each) {
      return each.message >= tail && each.message < place_;
    };
    const auto kept = std::stable_partition(shown_.begin(), shown_.end(), stays);
    std::vector<Oid> replaced;
    for (auto each = kept; each != shown_.end(); ++each) replaced.push_back(each->turn);
    shown_.erase(kept, shown_.end());
    set_tip(replaced.empty() ? TRY(writer().append(tip(), summary))
                             : TRY(writer().compress(*tip(), replaced, summary)));
    shown_.push_back({*tip(), place_});
    return {};
  }

  /// Takes the ids of message and session that each part repeats.
  static void take_names(const json::Value& message, Taken& taken) {
    const json::Value info = message.find("info");
    for (const json::Value& part : message.find("parts").elements()) {
      if (part.find("messageID").equals(info.find("id").text())) taken(part, "messageID");
      if (part.find("sessionID").equals(info.find("sessionID").text())) taken(part, "sessionID");
    }
  }

  struct VisibleTurn {
    Oid turn;
    std::size_t message = 0;  // Its message's position in the session.
  };
  std::vector<VisibleTurn> shown_;  // Turns that the next compaction may replace.
  std::unordered_map<std::string, std::size_t> places_;  // Of messages, by id.
  std::size_t place_ = 0;                                // The current message's.
  std::optional<std::size_t> tail_;  // The first message that the current compaction keeps.
  json::Value revert_;
  std::optional<std::optional<Oid>> kept_tip_;  // The tip after the revert, if there is one.
};

bool is_database(std::string_view head) {
  return head.starts_with(store::sqlite::ForeignFile::kMagic);
}

int score_opencode(const Head& head) {
  if (is_database(head.bytes())) return score::kShape;
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

/// Imports each session of a database as its export. A session's notes are those of its last
/// import, because each one contains all that the database has of it.
Result<LossReport> import_sessions(std::string_view tool, Source& source,
                                   graph::Repository& repository, const ImportOptions& options) {
  if (source.path().empty()) {
    return invalid("an SQLite database is read from its file only", "name the file");
  }
  auto database = TRY(OpenCodeDatabase::open(source.path(), options.cancel));
  const auto sessions = TRY(database.sessions(options.since));
  const std::uint64_t size = source.size().value_or(0);
  LossReport all;
  std::int64_t newest = 0;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const OpenCodeDatabase::Session& session = sessions[i];
    const auto exported = TRY(database.read(session.id, options.is_growing));
    const std::string name = fmt::format("{}/{}", source.name(), ref_word(session.id));
    for (const std::string& problem : exported.problems) {
      all.remark({Remark::Kind::unreadable, name, 0, problem});
    }
    ImportOptions inner = options;
    inner.progress = {};
    inner.notes_ref = fmt::format("refs/sources/{}/{}", tool, ref_word(short_name(session.id)));
    TextSource text(name, exported.document);
    const auto report = TRY(import_documents_into<OpenCodeSink>(tool, text, repository, inner));
    const std::string main_ref = all.main_ref;
    all.add(report);
    if (session.updated >= newest) {
      newest = session.updated;
      all.main_tip = report.main_tip;
    } else {
      all.main_ref = main_ref;
    }
    if (options.progress) options.progress({source.name(), size * (i + 1) / sessions.size(), size});
  }
  all.sources = 1;
  all.bytes = size;
  return all;
}

Result<LossReport> import_opencode(std::string_view tool, Source& source,
                                   graph::Repository& repository, const ImportOptions& options) {
  const std::string head = TRY(read_head(source, store::sqlite::ForeignFile::kMagic.size()));
  if (is_database(head)) return import_sessions(tool, source, repository, options);
  ResumedSource whole(source, head);
  return import_documents_into<OpenCodeSink>(tool, whole, repository, options);
}

}  // namespace

/// Reads OpenCode's database, and the output of `opencode export`: one document per session. See
/// docs/importing.md.
const Importer kOpenCode = {"opencode", "OpenCode", score_opencode, import_opencode};

}  // namespace spoor::import::formats
