#include "import/importers.h"
#include "import/live_import.h"
#include "import/records.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/json/python.h"
#include "base/json/writer.h"
#include "import/codex/record.h"
#include "import/codex/token_counts.h"
#include "import/head.h"
#include "import/responses_item.h"

namespace spoor::import::codex {
namespace {

using compile::Oid;
using compile::Turn;
using compile::Type;
using Side = ItemKind::Side;

/// A record whose turn is made but not written yet. `document` and `made` borrow `bytes`.
struct PendingItem {
  explicit PendingItem(const json::Value& root)
      : bytes(root.raw()), document(read_again(bytes)), made(document.root(), "codex") {}

  std::string bytes;
  json::Document document;
  TurnRecord made;
  std::string label;
  bool is_made = false;  // By the model.
};

class CodexSink final : public SessionSink {
 public:
  using SessionSink::SessionSink;

  Result<void> add(const json::Value& root) override {
    const bool enveloped = is_enveloped(root);
    const std::string type = enveloped ? root.find("type").text() : std::string();
    const json::Value payload = enveloped ? root.find("payload") : root;
    if (type == "event_msg" && announces(payload)) return hold(root);
    const bool is_item = type == "response_item" || !enveloped;
    TRY(settle(is_item ? payload : json::Value()));
    if (type == "event_msg") return add_event(root, payload);
    if (type == "token_usage_record") return add_usage_record(root, payload);
    if (is_item && kind_of_item(payload).side != Side::unknown) return add_item(root, payload);
    const bool is_meta = type == "session_meta" || is_bare_head(root);
    if (is_meta || type == "turn_context" || type == "compacted") TRY(end_answer());
    if (is_meta) return add_meta(root, payload);
    if (type == "turn_context") return add_context(root, payload);
    if (type == "compacted") return add_compacted(root, payload);
    if (type == "response_item") return keep_item(root, payload);
    const bool known = is_known_type(root.find("type")) || root.find("record_type");
    const bool has_type = root.find("type").is_string();
    return keep_known(root, label_of(root.find(has_type ? "type" : "record_type").text()), known);
  }

  /// Held events at the end of the source are not imported yet: only a longer copy shows if they
  /// repeat an item. The same is done for a torn line. The usage of the last answer may also be
  /// missing; a longer copy that has it supersedes the answer.
  Result<void> finish() override {
    for (std::size_t i = 0; i < held_.size(); ++i) {
      report().remark(
          {Remark::Kind::unreadable, source_name(), 0,
           "the source ends after an event that the next record would repeat, not imported yet"});
    }
    held_.clear();
    return end_answer();
  }

 private:
  struct PromptMark {
    std::optional<Oid> before;    // The tip before the prompt.
    std::size_t compactions = 0;  // The number of compactions before it,
    std::size_t shown = 0;        // and of visible turns.
  };
  // --- Events ---------------------------------------------------------------

  Result<void> hold(const json::Value& root) {
    if (held_.size() == kMostHeld) TRY(settle({}));
    held_.emplace_back(root.raw());
    return {};
  }

  /// Decides about the held events after `item`, the next record, was read: repeated ones are
  /// dropped.
  Result<void> settle(const json::Value& item) {
    if (held_.empty()) return {};
    const std::vector<std::string> said = texts_of_item(item);
    return read_each(std::exchange(held_, {}), [&](const json::Value& root) {
      const json::Value event = root.find("payload");
      const std::string text = text_of_event(event);
      const bool repeats =
          has_text_only(root, item) &&
          (texts_.has(text) || std::find(said.begin(), said.end(), text) != said.end());
      const std::string label = label_of("event_msg", event.find("type").text());
      return repeats ? drop(root, label, time_of(root.find("timestamp"))) : keep_known(root, label);
    });
  }

  Result<void> add_event(const json::Value& root, const json::Value& event) {
    const std::string type = event.find("type").text();
    const std::string label = label_of("event_msg", type);
    const bool is_count =
        type == "token_count" && counts_.add(event.find("info"), !waiting_.empty());
    if (is_count || ends_answer(type)) TRY(end_answer());
    if (type == "turn_aborted" || type == "error") counts_.abandon_answer();
    if (begins_turn(type) || completes_turn(type)) TRY(begin_input());
    if (begins_turn(type)) {
      has_turns_ = true;
      turn_start_ = now();
    }
    if (type == "thread_rolled_back") roll_back(event.find("num_turns").integer().value_or(0));
    if (type == "user_message" && has_text_only(root, {}) && texts_.has(text_of_event(event))) {
      return drop(root, label, time_of(root.find("timestamp")));
    }
    return keep_known(root, label);
  }

  /// Hides the user's last turns, and all that followed them, from the model. Undoes compactions
  /// within them (core/src/codex/rollout_reconstruction.rs).
  void roll_back(std::int64_t turns) {
    if (turns <= 0 || prompts_.empty()) return;
    const std::size_t count = std::min(static_cast<std::size_t>(turns), prompts_.size());
    const PromptMark prompt = prompts_[prompts_.size() - count];
    prompts_.resize(prompts_.size() - count);
    go_back_to(prompt.before);
    if (prompt.compactions < before_compactions_.size()) {
      shown_ = before_compactions_[prompt.compactions];
      before_compactions_.resize(prompt.compactions);
    }
    shown_.resize(prompt.shown);
  }

  // --- Tokens ---------------------------------------------------------------
  // Codex counts an answer's tokens after the results of its calls. The count is a fact of the
  // answer's last item, so this item and its results wait for the count.

  Result<void> add_usage_record(const json::Value& root, const json::Value& record) {
    if (counts_.add_record(record, !waiting_.empty())) TRY(end_answer());
    count_time_ = time_of(root.find("timestamp"));
    return keep(root, "token_usage_record", true, count_time_);
  }

  /// Holds the last item of an answer until its count comes.
  Result<void> wait(std::unique_ptr<PendingItem> waiting) {
    if (!waiting_.empty() && waiting->is_made) TRY(release({}));
    waiting_bytes_ += waiting->bytes.size();
    waiting_.push_back(std::move(waiting));
    const bool is_full = waiting_.size() >= kMostHeld || waiting_bytes_ >= kMostHeldBytes;
    return is_full ? release(counts_.take_answer()) : Result<void>();
  }

  Result<void> end_answer() {
    message_.clear();
    return release(counts_.take_answer());
  }

  /// Called for input from the user or the program. A count without an answer belongs to an empty
  /// answer.
  Result<void> begin_input() {
    const Count count = counts_.has_records() ? counts_.take_spare() : Count();
    counts_.begin_input();
    if (count.usage.empty()) return {};
    TurnRecord made(json::Value(), tool());
    made.start(Type::assistant).time = count_time_;
    made.fact_text(fact::session, writer().session());
    made.fact_text(fact::cwd, cwd_);
    message_ = fmt::format("answer-{}", ++answers_);
    add_model_facts(made);
    message_.clear();
    made.last_fact_told(fact::usage, count.usage);
    made.last_fact_told(fact::response_id, count.response_id);
    const std::vector<RecordKey> keys = keys_of(made);
    for (const Turn& turn : made.finish(report())) {
      set_tip(TRY(writer().append(tip(), turn)));
      shown_.push_back({*tip(), keys[0]});
    }
    return {};
  }

  /// Writes the waiting items. `count` is the answer's usage, empty if unknown.
  Result<void> release(const Count& count) {
    waiting_bytes_ = 0;
    for (const std::unique_ptr<PendingItem>& each : std::exchange(waiting_, {})) {
      if (each->is_made) {
        each->made.last_fact_told(fact::usage, count.usage);
        each->made.last_fact_told(fact::response_id, count.response_id);
      }
      TRY(write(each->made, each->label, false));
    }
    return {};
  }

  // --- Session --------------------------------------------------------------

  /// Adds the model's instructions as a system turn, if they have changed.
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
      return keep_known(root, "session_meta");
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
    TRY(begin_input());
    model_ = context.find("model").text();
    if (const std::string cwd = context.find("cwd").text(); !cwd.empty()) cwd_ = cwd;
    return keep_known(root, "turn_context");
  }

  void add_facts(TurnRecord& made) {
    made.set_time(made.root().find("timestamp"));
    made.fact_text(fact::session, writer().session());
    made.fact_text(fact::cwd, cwd_);
    made.fact_text(fact::git_branch, branch_);
    made.fact_text(fact::agent_version, version_);
  }

  void add_model_facts(TurnRecord& made) {
    made.made_fact_text(fact::provider, provider_.empty() ? "openai" : provider_);
    made.set_model({}, model_);
    made.made_fact_text(fact::message_id, message_);
  }

  // --- Items ----------------------------------------------------------------

  /// Returns true if an item is the instructions of the session's first record again, as a message.
  bool repeats_instructions(const json::Value& item) const {
    if (instructions_.empty() || !item.find("role").equals("developer")) return false;
    const std::vector<std::string> texts = texts_of_item(item);  // The last one is the whole.
    return texts.size() == 2 && texts.back() == instructions_;
  }

  Result<void> add_item(const json::Value& root, const json::Value& item) {
    if (repeats_instructions(item)) {
      return drop(root, "repeated instructions", time_of(root.find("timestamp")));
    }
    const ItemKind kind = kind_of_item(item);
    const bool is_made = kind.side == Side::made;
    const bool is_result = kind.side == Side::result;
    if (is_made) {
      if (message_.empty()) TRY(begin_answer());
    } else if (is_result) {
      message_.clear();
    } else {
      TRY(end_answer());
      TRY(begin_input());
    }
    auto waiting = std::make_unique<PendingItem>(root);
    waiting->label = label_of("response_item", item.find("type").text());
    waiting->is_made = is_made;
    const json::Value own = waiting->document.root();
    make_turn(is_enveloped(own) ? own.find("payload") : own, kind, waiting->made);
    // The first rollouts have no counts.
    const bool may_wait = is_enveloped(root) && counts_.is_counting();
    if (may_wait && (is_made || (is_result && !waiting_.empty()))) return wait(std::move(waiting));
    const bool is_typed = kind.is_user && !waiting->made.turns().back().author.empty();
    return write(waiting->made, waiting->label, is_typed);
  }

  /// Starts an answer. Rollouts name items, not answers, so answers are numbered.
  Result<void> begin_answer() {
    TRY(end_answer());
    counts_.begin_answer();
    message_ = fmt::format("answer-{}", ++answers_);
    return {};
  }

  Result<void> write(TurnRecord& made, std::string_view label, bool is_typed) {
    const std::vector<RecordKey> keys = keys_of(made);
    const std::optional<PromptMark> prompt = is_typed ? begun_turn() : std::nullopt;
    std::vector<Oid> commits;
    TRY(add_turns(made, label, &commits));
    for (std::size_t i = 0; i < commits.size(); ++i) shown_.push_back({commits[i], keys[i]});
    if (prompt) prompts_.push_back(*prompt);
    return {};
  }

  PromptMark now() const { return {tip(), before_compactions_.size(), shown_.size()}; }

  /// Returns the beginning of the turn if this is its first user message. Other messages in that
  /// turn are rolled back with it.
  std::optional<PromptMark> begun_turn() {
    if (!has_turns_) return now();
    return std::exchange(turn_start_, std::nullopt);
  }

  static std::vector<RecordKey> keys_of(TurnRecord& made) {
    std::vector<RecordKey> keys;
    for (const Turn& turn : made.turns()) keys.push_back(turn_key(turn));
    return keys;
  }

  void make_turn(const json::Value& item, const ItemKind& kind, TurnRecord& made) {
    made.taken()(made.root(), "type");
    add_facts(made);
    const json::Value turn_id =
        item.find("internal_chat_message_metadata_passthrough").find("turn_id");
    if (kind.side != Side::made) {
      made.fact(fact::turn_id, turn_id);
      add_item_turn(item, made);
      Turn& turn = made.turns().back();
      if (kind.side == Side::given && turn.type == Type::user) name_giver(item, turn, made);
      if (kind.is_user) texts_.add(turn.text);
      return;
    }
    add_item_turn(item, made);
    if (turn_id) made.fact_text(fact::turn_id, turn_id.text());
    add_model_facts(made);
    texts_.add(made.turns().back().text);
  }

  Result<void> keep_known(const json::Value& root, std::string_view label, bool is_known = true) {
    return keep(root, label, is_known, time_of(root.find("timestamp")));
  }

  /// Keeps an item that is not a turn. `additional_tools` lists the tools that the model may call.
  Result<void> keep_item(const json::Value& root, const json::Value& item) {
    const std::string type = item.find("type").text();
    return keep_known(root, label_of("response_item", type),
                      type == "ghost_snapshot" || type == "additional_tools");
  }

  // --- Compaction -----------------------------------------------------------

  /// From this record on, the model sees the listed items, or a summary, instead of all earlier
  /// turns except for the instructions. If the list is earlier turns and a summary after them,
  /// these turns stay and the summary is a compress of the others. Else the first listed item is a
  /// compress of all.
  Result<void> add_compacted(const json::Value& root, const json::Value& compacted) {
    std::vector<json::Value> items;
    for (const json::Value& item : compacted.find("replacement_history").elements()) {
      const bool is_turn = kind_of_item(item).side != Side::unknown;
      if (is_turn && !repeats_instructions(item)) items.push_back(item);
    }
    const std::vector<std::size_t> kept = kept_by(items);
    TurnRecord made(root, tool());
    made.taken()(root, "type");
    add_facts(made);
    for (std::size_t i = kept.size(); i < items.size(); ++i) {
      add_item_turn(items[i], made);
      if (i == kept.size()) make_summary(items[i], made.turns().back());
    }
    if (items.empty()) {
      made.start(Type::summary).text = made.taken().text(compacted, "message");
    } else if (const json::Value message = compacted.find("message"); message) {
      for (const Turn& turn : made.turns()) {
        if (message.equals(turn.text)) made.taken()(message);
      }
    }
    add_compaction_count(made);
    return add_compress(made, kept);
  }

  /// Returns the positions in shown_ of all items but the last, in order. Empty if one of them is
  /// not an earlier turn, or if the last is not a message: a sealed summary is a reasoning.
  std::vector<std::size_t> kept_by(const std::vector<json::Value>& items) const {
    std::vector<std::size_t> kept;
    if (items.empty() || kind_of_item(items.back()).side != Side::given) return kept;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < items.size(); ++i) {
      TurnRecord made(items[i], tool());
      add_item_turn(items[i], made);
      const std::vector<RecordKey> keys = keys_of(made);
      if (keys.size() != 1) return {};
      while (at < shown_.size() && shown_[at].key != keys[0]) ++at;
      if (at == shown_.size()) return {};
      kept.push_back(at++);
    }
    return kept;
  }

  /// Adds a count without an answer as the usage of the summary.
  void add_compaction_count(TurnRecord& made) {
    const Count count = counts_.take_spare();
    const json::Document usage = read_again(count.usage);
    const json::Value value = usage.root();
    if (says_nothing(value) || json::has_python_word(value)) return;
    std::string written;
    json::append_canonical(written, value);
    made.reserve(written.size());
    made.turns().front().facts.set(fact::usage, std::move(written));
  }

  Result<void> add_compress(TurnRecord& made, const std::vector<std::size_t>& kept) {
    before_compactions_.push_back(std::exchange(shown_, {}));
    const std::vector<VisibleTurn>& earlier = before_compactions_.back();
    for (const std::size_t place : kept) shown_.push_back(earlier[place]);
    // The summary follows the kept turns. Turns before the last kept one are only skipped.
    std::vector<Oid> left_out, replaced;
    for (std::size_t i = 0; i < earlier.size(); ++i) {
      if (std::binary_search(kept.begin(), kept.end(), i)) continue;
      (!kept.empty() && i < kept.back() ? left_out : replaced).push_back(earlier[i].turn);
    }
    if (!left_out.empty()) set_tip(TRY(writer().skip(*tip(), left_out)));
    const std::vector<RecordKey> keys = keys_of(made);
    std::size_t number = 0;
    for (const Turn& turn : made.finish(report())) {
      const bool compresses = number == 0 && !replaced.empty();
      set_tip(compresses ? TRY(writer().compress(*tip(), replaced, turn))
                         : TRY(writer().append(tip(), turn)));
      shown_.push_back({*tip(), keys[number++]});
    }
    return count_turns(made);
  }

  static constexpr std::size_t kMostHeld = 64;
  static constexpr std::size_t kMostHeldBytes = 16U << 20U;

  std::vector<std::string> held_;  // Events that the next item may repeat.
  RecentTexts texts_;
  std::string provider_, model_, version_, branch_, cwd_;
  std::string instructions_;
  std::string message_;  // The current answer's name; empty: the next item starts an answer.
  std::uint64_t answers_ = 0;
  std::vector<std::unique_ptr<PendingItem>> waiting_;  // The answer's last item, and its results.
  std::size_t waiting_bytes_ = 0;
  TokenCounts counts_;
  std::optional<Timestamp> count_time_;  // Time of the last count record.

  /// A turn that the model sees.
  struct VisibleTurn {
    Oid turn;
    RecordKey key;  // Its turn_key().
  };
  std::vector<VisibleTurn> shown_;                            // Except for the instructions.
  std::vector<std::vector<VisibleTurn>> before_compactions_;  // The same before each compaction.

  std::vector<PromptMark> prompts_;       // The user's prompts that were not rolled back.
  bool has_turns_ = false;                // The rollout records the beginnings of turns.
  std::optional<PromptMark> turn_start_;  // The start of a turn without a prompt so far.
};

int score_codex(const Head& head) {
  if (head.is_mostly(is_sound)) return score::kSigned;
  return is_bare_head(head.first()) ? score::kOwn : score::kNone;
}

}  // namespace

/// Reads the rollouts of OpenAI Codex (`~/.codex/sessions/**/rollout-*.jsonl`), also the first ones
/// of 2025 without envelopes. See docs/importing.md.
const Importer kCodex = {"codex", "Codex", score_codex, import_lines_into<CodexSink, is_sound>,
                         open_lines<CodexSink, is_sound>};

}  // namespace spoor::import::codex
