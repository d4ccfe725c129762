#include "llm/import/codex/importer.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "llm/import/head.h"
#include "llm/import/responses_item.h"
#include "llm/import/session_sink.h"

namespace spoor::llm::import::codex {
namespace {

using compile::Oid;
using compile::Turn;
using compile::Type;
using Side = ItemKind::Side;

// As written by Codex 0.2 to 0.147 (codex-rs/protocol/src/protocol.rs, `RolloutItem`).
constexpr std::array<std::string_view, 7> kTypes = {"session_meta",
                                                    "response_item",
                                                    "event_msg",
                                                    "turn_context",
                                                    "compacted",
                                                    "world_state",
                                                    "inter_agent_communication_metadata"};

/// A line with an envelope: `{"timestamp", "type", "payload"}`.
bool is_enveloped(const json::Value& root) {
  const std::string type = root.find("type").text();
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end() &&
         root.find("payload").is_object();
}

/// The first line of a rollout without envelopes.
bool is_bare_head(const json::Value& root) {
  return !root.find("type") && root.find("id").is_string() && root.find("timestamp").is_string() &&
         root.find("instructions");
}

bool is_sound(const json::Value& root) {
  return is_enveloped(root) && root.find("timestamp").is_string();
}

/// Text that Codex itself puts in front of the model under the role `user`.
bool is_injected(std::string_view text) {
  if (text.starts_with("# AGENTS.md instructions")) return true;
  constexpr std::array<std::string_view, 8> kTags = {
      "<environment_context>", "<user_instructions>",     "<turn_aborted>",
      "<user_shell_command>",  "<subagent_notification>", "<skill>",
      "<INSTRUCTIONS>",        "<recommended_plugins>"};
  return std::any_of(kTags.begin(), kTags.end(),
                     [&](std::string_view tag) { return text.starts_with(tag); });
}

/// What the model or the user said last: events are compared with it.
class RecentTexts {
 public:
  void add(std::string text) {
    texts_.push_back(std::move(text));
    if (texts_.size() > kMost) texts_.pop_front();
  }
  bool has(std::string_view text) const {
    return std::find(texts_.begin(), texts_.end(), text) != texts_.end();
  }

 private:
  static constexpr std::size_t kMost = 8;
  std::deque<std::string> texts_;
};

class CodexSink final : public SessionSink {
 public:
  using SessionSink::SessionSink;

  Result<void> add(const json::Value& root) override {
    const bool enveloped = is_enveloped(root);
    const std::string type = enveloped ? root.find("type").text() : std::string();
    const json::Value payload = enveloped ? root.find("payload") : root;
    if (type == "event_msg" && announces(payload)) return hold(root);
    TRY(settle(type == "response_item" || !enveloped ? payload : json::Value()));
    see(root);
    if (type == "session_meta" || is_bare_head(root)) return add_meta(root, payload);
    if (type == "turn_context") return add_context(root, payload);
    if (type == "compacted") return add_compacted(root, payload);
    if (type == "event_msg") return add_event(root, payload);
    if (type == "response_item" || kind_of_item(root).side != Side::unknown) {
      return add_item(root, payload);
    }
    const bool known = enveloped || root.find("record_type");
    const bool has_type = root.find("type").is_string();
    return keep(root, label_of(root.find(has_type ? "type" : "record_type").text()), known,
                time_of(root.find("timestamp")));
  }

  /// What was announced at the very end did not come: nobody can say yet whether it repeats
  /// something, so it waits for a longer copy, as a torn line does.
  Result<void> finish() override {
    for (const std::string& record : held_) {
      static_cast<void>(record);
      report().remark({Remark::Kind::unreadable, source_, 0,
                       "the source ends behind an event that says what the next record would, "
                       "not imported yet"});
    }
    held_.clear();
    return {};
  }

  void set_source(std::string name) { source_ = std::move(name); }

 private:
  // --- Events ---------------------------------------------------------------

  /// An event that, as a rule, says what the next item will say.
  static bool announces(const json::Value& event) {
    return event.find("type").equals("agent_message") ||
           event.find("type").equals("agent_reasoning");
  }

  static std::string text_of_event(const json::Value& event) {
    const json::Value message = event.find("message");
    return message ? message.text() : event.find("text").text();
  }

  /// Says an event nothing but its text, when that was, and the item's phase?
  static bool has_text_only(const json::Value& root, const json::Value& item) {
    const json::Value event = root.find("payload");
    const std::string text = text_of_event(event);
    for (const json::Member& member : root.members()) {
      const std::string key = member.key.text();
      const bool is_known = key == "type" || key == "payload" ||
                            (key == "timestamp" && time_of(member.value)) ||
                            says_nothing(member.value);
      if (!is_known) return false;
    }
    for (const json::Member& member : event.members()) {
      const std::string key = member.key.text();
      const bool is_known = key == "type" || says_nothing(member.value) ||
                            ((key == "message" || key == "text") && member.value.equals(text)) ||
                            (key == "phase" && member.value.equals(item.find("phase").text())) ||
                            (key == "kind" && member.value.equals("plain"));
      if (!is_known) return false;
    }
    return true;
  }

  Result<void> hold(const json::Value& root) {
    if (held_.size() == kMostHeld) TRY(settle({}));
    held_.emplace_back(root.raw());
    return {};
  }

  /// Decides about the events that were held, now that what came behind them is here.
  Result<void> settle(const json::Value& item) {
    if (held_.empty()) return {};
    std::vector<std::string> said;
    const json::Value parts =
        item.find("type").equals("reasoning") ? item.find("summary") : item.find("content");
    std::string whole;
    for (const json::Value& part : parts.elements()) {
      said.push_back(part.find("text").text());
      whole += said.back();
    }
    said.push_back(whole);
    for (const std::string& record : std::exchange(held_, {})) {
      const json::Document document = read_again(record);
      const json::Value root = document.root();
      const json::Value event = root.find("payload");
      const std::string text = text_of_event(event);
      const bool repeats =
          has_text_only(root, item) &&
          (texts_.has(text) || std::find(said.begin(), said.end(), text) != said.end());
      see(root);
      const std::string label = label_of("event_msg", event.find("type").text());
      const auto time = time_of(root.find("timestamp"));
      TRY(repeats ? drop(root, label, time) : keep(root, label, true, time));
    }
    return {};
  }

  Result<void> add_event(const json::Value& root, const json::Value& event) {
    const std::string type = event.find("type").text();
    const auto time = time_of(root.find("timestamp"));
    const std::string label = label_of("event_msg", type);
    if (type == "token_count") message_.clear();
    if (type == "thread_rolled_back") roll_back(event.find("num_turns").integer().value_or(0));
    if (type == "user_message" && has_text_only(root, {}) && texts_.has(text_of_event(event))) {
      return drop(root, label, time);
    }
    return keep(root, label, true, time);
  }

  /// The model no longer sees the last turns of the user and what came of them.
  void roll_back(std::int64_t turns) {
    if (turns <= 0 || prompts_.empty()) return;
    const std::size_t count = std::min(static_cast<std::size_t>(turns), prompts_.size());
    go_back_to(prompts_[prompts_.size() - count].before);
    shown_.resize(prompts_[prompts_.size() - count].shown);
    prompts_.resize(prompts_.size() - count);
    message_.clear();
  }

  // --- Session --------------------------------------------------------------

  /// The instructions that the model was given become a system turn, when they are new.
  Result<void> add_meta(const json::Value& root, const json::Value& meta) {
    writer().name_session(meta.find("id").text());
    if (provider_.empty()) provider_ = meta.find("model_provider").text();
    version_ = meta.find("cli_version").text();
    branch_ = meta.find("git").find("branch").text();
    if (cwd_.empty()) cwd_ = meta.find("cwd").text();
    json::Value text = meta.find("base_instructions");
    if (text.is_object()) text = text.find("text");
    if (!text) text = meta.find("instructions");
    const std::string instructions = text.text();
    if (instructions.empty() || instructions == std::exchange(instructions_, instructions)) {
      return keep(root, "session_meta", true, time_of(root.find("timestamp")));
    }
    TurnRecord made(root, tool());
    Turn& turn = made.start(Type::system);
    turn.text = made.taken().text(text);
    turn.fields.name = "instructions";
    made.taken()(root, "type");
    add_facts(made);
    return add_turns(made, "session_meta");
  }

  Result<void> add_context(const json::Value& root, const json::Value& context) {
    model_ = context.find("model").text();
    if (const std::string cwd = context.find("cwd").text(); !cwd.empty()) cwd_ = cwd;
    return keep(root, "turn_context", true, time_of(root.find("timestamp")));
  }

  void add_facts(TurnRecord& made) {
    made.set_time(made.root().find("timestamp"));
    made.fact_text("session", writer().session());
    made.fact_text("cwd", cwd_);
    made.fact_text("git_branch", branch_);
    made.fact_text("agent_version", version_);
  }

  void add_model_facts(TurnRecord& made) {
    made.made_fact_text("provider", provider_.empty() ? "openai" : provider_);
    made.made_fact_text("model", model_);
    made.made_fact_text("message_id", message_);
    made.set_author(model_);
  }

  // --- Items ----------------------------------------------------------------

  Result<void> add_item(const json::Value& root, const json::Value& item) {
    const ItemKind kind = kind_of_item(item);
    const std::string type = item.find("type").text();
    const std::string label = label_of("response_item", type);
    if (kind.side == Side::unknown) {
      return keep(root, label, type == "ghost_snapshot", time_of(root.find("timestamp")));
    }
    TurnRecord made(root, tool());
    made.taken()(root, "type");
    add_facts(made);
    make_turn(item, kind, made);
    const Prompt prompt{tip(), shown_.size()};
    const bool is_typed = kind.is_user && !made.turns().back().author.empty();
    TRY(add_turns(made, label));
    if (is_typed) prompts_.push_back(prompt);
    shown_.push_back(*tip());
    return {};
  }

  void make_turn(const json::Value& item, const ItemKind& kind, TurnRecord& made) {
    const json::Value turn_id =
        item.find("internal_chat_message_metadata_passthrough").find("turn_id");
    if (kind.side != Side::made) {
      made.fact("turn_id", turn_id);
      message_.clear();
      add_item_turn(item, made);
      Turn& turn = made.turns().back();
      if (kind.side == Side::given && turn.type == Type::user) name_giver(item, turn, made);
      if (kind.is_user) texts_.add(turn.text);
      return;
    }
    if (message_.empty()) message_ = name_message(item);
    add_item_turn(item, made);
    if (turn_id) made.fact_text("turn_id", turn_id.text());
    add_model_facts(made);
    texts_.add(made.turns().back().text);
  }

  /// Who said it: the user, another agent, or the program.
  static void name_giver(const json::Value& item, Turn& turn, TurnRecord& made) {
    if (item.find("type").equals("agent_message")) {
      const std::string author = item.find("author").text();
      if (store::is_author(author)) turn.author = author;
    } else if (is_injected(turn.text)) {
      made.flag("injected");
    } else {
      turn.author = "user";
    }
  }

  /// What items of one answer have in common: the rollout names no answers, so it is the name of
  /// the first item, and the next input ends it.
  static std::string name_message(const json::Value& item) {
    for (const std::string_view key : {"id", "call_id"}) {
      if (std::string name = item.find(key).text(); !name.empty()) return name.substr(0, 128);
    }
    return "item-" + RecordKey::of(item.raw()).hex(16);
  }

  // --- Compaction -----------------------------------------------------------

  /// From here on the model sees what the record lists, or a summary, in place of all before but
  /// the instructions. The first of it is a compress of the earlier turns.
  Result<void> add_compacted(const json::Value& root, const json::Value& compacted) {
    message_.clear();
    prompts_.clear();  // Nobody goes back behind it.
    const json::Value history = compacted.find("replacement_history");
    TurnRecord made(root, tool());
    made.taken()(root, "type");
    add_facts(made);
    std::size_t items = 0;
    for (const json::Value& item : history.elements()) {
      if (kind_of_item(item).side == Side::unknown) continue;
      add_item_turn(item, made);
      if (items++ == 0) make_summary(item, made.turns().back());
    }
    if (items == 0) {
      made.start(Type::summary).text = made.taken().text(compacted, "message");
    } else if (const json::Value message = compacted.find("message"); message) {
      for (const Turn& turn : made.turns()) {
        if (message.equals(turn.text)) made.taken()(message);
      }
    }
    return add_compress(made);
  }

  /// A summary has no fields; what they said stays in the item.
  static void make_summary(const json::Value& item, Turn& turn) {
    turn.type = Type::summary;
    if (turn.fields == compile::Fields()) return;
    turn.fields = {};
    if (turn.raw.empty()) turn.raw.push_back({std::string(item.raw())});
  }

  Result<void> add_compress(TurnRecord& made) {
    const std::vector<Oid> replaced = std::exchange(shown_, {});
    const std::string whole = options().keep_source ? std::string(made.root().raw()) : "";
    const auto time = made.time();
    bool is_first = true;
    for (const Turn& turn : made.finish(report())) {
      const bool compresses = std::exchange(is_first, false) && !replaced.empty();
      set_tip(compresses ? TRY(writer().compress(*tip(), replaced, turn))
                         : TRY(writer().append(tip(), turn)));
      shown_.push_back(*tip());
    }
    report().turn_records += 1;
    return options().keep_source ? writer().add_note(whole, time) : Result<void>();
  }

  static constexpr std::size_t kMostHeld = 64;

  std::string source_;
  std::vector<std::string> held_;  // Events that may say what the next item will.
  RecentTexts texts_;
  std::string provider_, model_, version_, branch_, cwd_;
  std::string instructions_;
  std::string message_;  // Names the answer that items belong to; empty: the next one begins one.

  struct Prompt {
    std::optional<Oid> before;  // What it was put behind.
    std::size_t shown = 0;      // How many turns stood before it.
  };
  std::vector<Prompt> prompts_;  // What the user typed since the last compaction.
  std::vector<Oid> shown_;       // Turns that the next compaction replaces.
};

}  // namespace

int CodexImporter::score(const Head& head) const {
  if (head.is_mostly(is_sound)) return score::kSigned;
  return is_bare_head(head.first()) ? score::kOwn : score::kNone;
}

Result<LossReport> CodexImporter::import(Source& source, compile::Repository& repository,
                                         const ImportOptions& options) const {
  constexpr RecordRules kRules{is_sound, duplicate_keys};
  CodexSink sink(name(), repository, options);
  sink.set_source(source.name());
  TRY(import_lines(source, kRules, options, sink, sink.writer(), sink.report()));
  return std::move(sink.report());
}

}  // namespace spoor::llm::import::codex
