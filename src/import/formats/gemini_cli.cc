#include "import/importers.h"
#include "import/records.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "import/gemini_parts.h"
#include "import/head.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

bool is_header(const json::Value& root) {
  return root.find("sessionId").is_string() && root.find("projectHash").is_string();
}

/// Returns true for a saved chat of an early version: contents of the API itself.
bool is_contents(const json::Value& list) {
  for (const json::Value& first : list.elements()) {
    return first.find("parts").is_array() && first.find("role").is_string();
  }
  return false;
}

class GeminiSink final : public SessionSink {
 public:
  using SessionSink::SessionSink;

  Result<void> add(const json::Value& root) override {
    const json::Value messages =
        root.find("messages").is_array() ? root.find("messages") : root.find("history");
    if (is_header(root)) writer().name_session(root.find("sessionId").text());
    if (!messages.is_array()) return is_header(root) ? header(root) : add_record(root);
    TRY(settle());
    TRY(take_list());
    TRY(add_messages(messages));
    return keep_rest(root, messages, "session");
  }

  /// A message whose calls have no results yet is written again with them. A longer copy supersedes
  /// it.
  Result<void> finish() override {
    TRY(settle());
    return take_list(true);
  }

 private:
  // --- The log --------------------------------------------------------------
  // In a log with one record per line, records replace earlier ones. A message is written again, in
  // full, when its calls have results. `{"$rewindTo": id}` removes that message and all after it
  // (an unknown id: all). `{"$set": {"messages": […]}}` lists the current messages. So a message
  // waits until another one comes, and a list waits until something follows it: a resumed session
  // begins with a list of one message. Source: github.com/google-gemini/gemini-cli,
  // packages/core/src/services/chatRecordingService.ts (0.61).

  Result<void> add_record(const json::Value& root) {
    if (const json::Value id = root.find("$rewindTo"); id.is_string()) {
      TRY(settle());
      TRY(take_list());
      go_back_before(place_of(id.text()).value_or(0));
      return keep(root, "rewind", true, time_of(root.find("timestamp")));
    }
    if (root.find("$set").find("messages").is_array()) {
      TRY(settle());
      list_ = root.raw();
      return keep(root, "update", true);
    }
    if (is_turn(root)) TRY(take_list());
    const std::string id = root.find("id").text();
    const bool may_come_again = !id.empty() && is_turn(root);
    const bool is_aside = !is_turn(root);
    if (may_come_again && id == held_id_) {
      TRY(supersede(root));
      held_.front() = std::string(root.raw());
      return {};
    }
    if (is_aside && !held_.empty() && held_.size() < kMostHeld) {
      held_.emplace_back(root.raw());  // It follows the waiting message.
      return {};
    }
    TRY(settle());
    if (!may_come_again) return add_message(root);
    if (const auto place = place_of(id)) return add_late(root, placed_[*place].digest);
    held_.emplace_back(root.raw());
    held_id_ = id;
    return {};
  }

  /// Drops the waiting message, which `now` replaces. It is kept as a note if `now` lacks any of
  /// its values.
  Result<void> supersede(const json::Value& now) {
    const json::Document document = read_again(held_.front());
    const json::Value before = document.root();
    bool is_said_again = true;
    for (const json::Member& member : before.members()) {
      const json::Value again = now.find(member.key.text());
      is_said_again =
          is_said_again && (says_nothing(member.value) || again.raw() == member.value.raw());
    }
    const auto time = time_of(before.find("timestamp"));
    return is_said_again ? drop(before, "superseded", time)
                         : keep(before, "superseded", true, time);
  }

  /// Handles a new version of an earlier message, after others came. The message does not change.
  Result<void> add_late(const json::Value& root, const RecordKey& known) {
    const auto time = time_of(root.find("timestamp"));
    return RecordKey::of(root.raw()) == known ? drop(root, "superseded", time)
                                              : keep(root, "rewritten", true, time);
  }

  /// Adds the waiting records.
  Result<void> settle() {
    held_id_.clear();
    return read_each(std::exchange(held_, {}),
                     [&](const json::Value& record) { return add_message(record); });
  }

  std::optional<std::size_t> place_of(const std::string& id) const {
    const auto found = places_.find(id);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  /// The content of a message, as keys of its turns. Thoughts are left out, because their form
  /// changes when a session is resumed; so are results that came before.
  using Keys = std::vector<RecordKey>;
  struct MessageKeys {
    Keys keys;
    std::vector<std::string> answered;  // Ids of calls.
    std::string context;                // The text of the session context.
  };
  static MessageKeys keys_in(TurnRecord& made) {
    MessageKeys said;
    for (const Turn& turn : made.turns()) {
      if (turn.type == Type::reasoning) continue;
      if (is_context(turn)) said.context = turn.text;
      said.keys.push_back(is_context(turn) ? RecordKey::of(kContext) : turn_key(turn));
      if (turn.type == Type::tool) said.answered.push_back(turn.fields.call_id);
    }
    return said;
  }

  /// The program's description of its environment for the model. A resumed session has the current
  /// one in its old place.
  static constexpr std::string_view kContext = "<session_context>";
  static bool is_context(const Turn& turn) {
    return turn.type == Type::user && turn.text.starts_with(kContext);
  }

  /// Returns true if a message contains only results that came before. A result is in the message
  /// with its call, and since 0.61 also in a message of its own.
  static bool repeats_results(const TurnRecord& made, const MessageKeys& said,
                              const std::set<std::string>& answered) {
    const bool is_results = made.has_turns() && said.answered.size() == said.keys.size();
    return is_results && std::all_of(said.answered.begin(), said.answered.end(),
                                     [&](const std::string& id) { return answered.contains(id); });
  }

  void go_back_before(std::size_t place) {
    if (place >= placed_.size()) return;
    go_back_to(placed_[place].before);
    for (; placed_.size() > place; placed_.pop_back()) {
      places_.erase(placed_.back().id);
      for (const std::string& id : placed_.back().said.answered) answered_.erase(id);
    }
  }

  /// Applies the waiting list: goes back to the point where the messages differ and adds the new
  /// ones. If `is_last`, a list without new messages removes nothing.
  Result<void> take_list(bool is_last = false) {
    if (list_.empty()) return {};
    const std::string record = std::exchange(list_, {});
    const json::Document document = read_again(record);
    const json::Value messages = document.root().find("$set").find("messages");
    const auto [kept, skipped] = common_front(messages);
    if (is_last && skipped == messages.size()) return {};
    go_back_before(kept);
    TRY(renew_context(messages, kept));
    std::size_t number = 0;
    for (const json::Value& message : messages.elements()) {
      if (number++ >= skipped) TRY(add_message(message));
      TRY(flush_if_full());
    }
    return {};
  }

  /// Returns the number of messages of the line, and of the list, in their longest common front.
  std::pair<std::size_t, std::size_t> common_front(const json::Value& messages) {
    Keys placed;
    std::vector<std::size_t> placed_ends;
    for (const PlacedMessage& each : placed_) {
      placed.insert(placed.end(), each.said.keys.begin(), each.said.keys.end());
      placed_ends.push_back(placed.size());
    }
    std::pair<std::size_t, std::size_t> common;
    std::set<std::string> answered;
    std::size_t at = 0;
    std::size_t number = 0;
    for (const json::Value& message : messages.elements()) {
      TurnRecord made(message, tool());
      if (is_turn(message)) make(message, made);
      MessageKeys said = keys_in(made);
      if (repeats_results(made, said, answered)) said.keys.clear();
      answered.insert(said.answered.begin(), said.answered.end());
      const bool is_same = at + said.keys.size() <= placed.size() &&
                           std::equal(said.keys.begin(), said.keys.end(),
                                      placed.begin() + static_cast<std::ptrdiff_t>(at));
      if (!is_same) break;
      at += said.keys.size();
      ++number;
      const auto end = std::upper_bound(placed_ends.begin(), placed_ends.end(), at);
      const auto count = static_cast<std::size_t>(end - placed_ends.begin());
      if (at == 0 || (count > 0 && placed_ends[count - 1] == at)) common = {count, number};
    }
    return common;
  }

  /// Updates the session context, if the first of the kept messages has it and its text changed.
  Result<void> renew_context(const json::Value& messages, std::size_t kept) {
    if (kept == 0 || !placed_.front().turn || placed_.front().said.context.empty()) return {};
    const json::Value message = *messages.elements().begin();
    TurnRecord made(message, tool());
    make(message, made);
    std::string text = keys_in(made).context;
    if (text.empty() || text == placed_.front().said.context) return {};
    placed_.front().said.context = text;
    set_tip(TRY(writer().edit(*tip(), *placed_.front().turn, std::move(text), made.time())));
    return {};
  }

  Result<void> add_messages(const json::Value& messages) {
    return for_each(messages, [&](const json::Value& message) { return add_message(message); });
  }

  // --- Messages -------------------------------------------------------------

  static bool is_user(const json::Value& message) {
    const json::Value type = message.find("type");
    return type.equals("user") || (!type && message.find("role").equals("user"));
  }
  static bool is_model(const json::Value& message) {
    const json::Value by = message.find(message.find("type") ? "type" : "role");
    return by.equals("gemini") || by.equals("model");
  }
  static bool is_turn(const json::Value& message) { return is_user(message) || is_model(message); }

  Result<void> header(const json::Value& root) {
    return keep(root, "session", true, time_of(root.find("startTime")));
  }

  Result<void> add_message(const json::Value& message) {
    const std::string type = message.find("type").text();
    const std::string role = message.find("role").text();
    const auto time = time_of(message.find("timestamp"));
    TurnRecord made(message, tool());
    if (is_turn(message)) make(message, made);
    MessageKeys said = keys_in(made);
    const bool is_repeated = repeats_results(made, said, answered_);
    if (!is_repeated) place(message, std::move(said));
    if (type == "info" || type == "error" || type == "warning" || message.find("$set")) {
      return keep(message, type.empty() ? "update" : label_of(type), true, time);
    }
    if (!is_turn(message)) return keep(message, label_of(type), false, time);
    if (is_repeated) return drop(message, "repeated result", time);
    TRY(add_turns(made, label_of(type.empty() ? role : type)));
    placed_.back().turn = tip();
    return {};
  }

  void place(const json::Value& message, MessageKeys said) {
    std::string id = message.find("id").text();
    if (!id.empty()) places_.insert_or_assign(id, placed_.size());
    answered_.insert(said.answered.begin(), said.answered.end());
    placed_.push_back({std::move(id), RecordKey::of(message.raw()), tip(), std::move(said), {}});
  }

  void make(const json::Value& message, TurnRecord& made) {
    const bool is_user = GeminiSink::is_user(message);
    made.set_time(message.find("timestamp"));
    made.set_time(message.find("ts"));
    made.fact_text(fact::session, writer().session());
    made.fact(fact::uuid, message.find("id"));
    made.taken()(message, message.find("type") ? "type" : "role");
    if (!is_user) add_model_facts(message, made);
    if (!has_parts(message.find("content"), "thought")) add_thoughts(message, made);
    add_gemini_content(message.find(message.find("parts") ? "parts" : "content"),
                       is_user ? Type::user : Type::assistant, made);
    add_calls(message.find("toolCalls"), made);
    if (is_user) set_user(made);
  }

  static void set_user(TurnRecord& made) {
    for (Turn& turn : made.turns()) {
      if (turn.type != Type::user) continue;
      const bool is_injected = is_context(turn);
      if (is_injected) turn.facts.set(fact::injected, true);
      if (!is_injected) turn.author = "user";
    }
  }

  static void add_model_facts(const json::Value& message, TurnRecord& made) {
    made.made_fact_text(fact::provider, "gemini");
    made.set_model(message.find("model"));
    made.made_fact_text(fact::message_id, message.find("id").text());
    made.last_fact(fact::usage, message.find("tokens"));
  }

  /// Returns true if a content in the API's form has such a part. A session that is resumed in
  /// another file lists messages with both forms of their thoughts and calls.
  static bool has_parts(const json::Value& content, std::string_view kind) {
    for (const json::Value& part : content.elements()) {
      if (part.find(kind)) return true;
    }
    return false;
  }

  /// Adds Gemini's summaries of thoughts, which the program split at their headings.
  static void add_thoughts(const json::Value& message, TurnRecord& made) {
    for (const json::Value& thought : message.find("thoughts").elements()) {
      const std::string subject = made.taken().text(thought, "subject");
      const std::string description = made.taken().text(thought, "description");
      Turn& turn = made.start(Type::reasoning);
      turn.fields.format = "parsed";
      if (!subject.empty()) turn.text = "**" + subject + "**\n";
      turn.text += description;
      if (auto time = time_of(thought.find("timestamp"))) {
        turn.time = time;
        made.taken()(thought, "timestamp");
      }
    }
  }

  /// Adds calls and their results. The program stores both in the message with the calls.
  static void add_calls(const json::Value& calls, TurnRecord& made) {
    if (calls.size() == 0) return;
    if (!made.has_turns() || made.turns().back().type != Type::assistant) {
      made.start(Type::assistant);
    }
    for (const json::Value& call : calls.elements()) {
      if (!has_call(made.turns().back(), word_of(call.find("id")))) {
        add_gemini_call(made.turns().back(), call, made.taken());
      }
    }
    for (const json::Value& call : calls.elements()) {
      const json::Value result = call.find("result");
      if (!result || says_nothing(result)) continue;
      Turn& turn = made.start(Type::tool);
      turn.fields.call_id = word_of(call.find("id"));
      turn.fields.name = call.find("name").text();
      turn.fields.is_error =
          call.find("status").equals("error") || call.find("status").equals("cancelled");
      turn.time = time_of(call.find("timestamp"));
      if (turn.time) made.taken()(call, "timestamp");
      take_result(result, turn, made.taken());
      count_gemini_lines(call, turn);
    }
  }

  static bool has_call(const Turn& turn, const std::string& id) {
    if (!turn.fields.tool_calls || id.empty()) return false;
    const auto& calls = *turn.fields.tool_calls;
    return std::any_of(calls.begin(), calls.end(),
                       [&](const compile::ToolCall& call) { return call.id == id; });
  }

  /// The own response of a call counts among those of several.
  static void take_result(const json::Value& result, Turn& turn, Taken& taken) {
    if (result.is_string()) {
      turn.text = taken.text(result);
      return;
    }
    const auto is_own = [&](const json::Value& part) {
      return word_of(part.find("functionResponse").find("id")) == turn.fields.call_id;
    };
    bool has_own = false;
    for (const json::Value& part : result.elements()) has_own = has_own || is_own(part);
    for (const json::Value& part : result.elements()) {
      const json::Value response = part.find("functionResponse");
      if (has_own && response && !is_own(part)) continue;
      if (word_of(response.find("id")) == turn.fields.call_id) taken.word(response, "id");
      if (response.find("name").equals(turn.fields.name)) taken(response, "name");
      if (response) take_gemini_response(response.find("response"), turn, taken);
      if (part.find("text").is_string()) turn.text += taken.text(part, "text");
    }
  }

  struct PlacedMessage {
    std::string id;
    RecordKey digest;
    std::optional<compile::Oid> before;  // The tip before the message.
    MessageKeys said;
    std::optional<compile::Oid> turn = {};  // The last of its turns.
  };
  std::vector<PlacedMessage> placed_;                    // The messages of the line, in order,
  std::unordered_map<std::string, std::size_t> places_;  // and their positions.
  std::set<std::string> answered_;                       // Ids of the line's calls with results.
  std::string list_;                                     // A waiting `$set` with messages.
  static constexpr std::size_t kMostHeld = 64;
  std::vector<std::string> held_;  // A message that may be written again, and notes after it.
  std::string held_id_;            // That message's.
};

int score_gemini_cli(const Head& head) {
  if (head.contains(is_header)) return score::kSigned;
  return is_contents(head.first().find("history")) ? score::kShape : score::kNone;
}

}  // namespace

/// Reads the sessions of Gemini CLI (`~/.gemini/tmp/*/chats/*`): one document, or since 0.40 one
/// record per line. See docs/importing.md.
const Importer kGeminiCli = {"gemini-cli", "Gemini CLI", score_gemini_cli,
                             import_documents_into<GeminiSink>};

}  // namespace spoor::import::formats
