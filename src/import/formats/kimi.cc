#include "import/importers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json/python.h"
#include "base/json/writer.h"
#include "import/content.h"
#include "import/formats/kimi_context.h"
#include "import/head.h"
#include "import/records.h"

namespace spoor::import::formats {
namespace {

using compile::Oid;
using compile::Turn;
using compile::Type;

/// Records that are not turns. A name that ends in a dot is a family.
constexpr std::string_view kWireNotes =
    "config.update context.append_loop_event context.append_message context.apply_compaction "
    "context.clear context.undo context.update_token_count cron. file_history. forked "
    "full_compaction. goal. interaction. interruptionReminder.recorded llm.request "
    "llm.tools_snapshot mcp.tools_discovered metadata micro_compaction. "
    "permission.record_approval_result permission.set_mode plan.revision plan_mode. "
    "plugin.session_start profile.bind prompt. runtime.set_binding staleGuard. swarm_mode. task. "
    "token_counting. tools. tower_mode. turn. usage.record step.begin step.end";

bool is_wire_note(std::string_view type) {
  const std::string_view family = type.substr(0, type.find('.') + 1);
  return is_one_of(type, kWireNotes) || is_one_of(family, kWireNotes);
}

bool is_wire_head(const json::Value& record) {
  return record.find("type").equals("metadata") && record.find("protocol_version").is_string() &&
         record.find("created_at").is_number();
}

bool is_wire_record(const json::Value& record) {
  return is_wire_head(record) ||
         (record.find("time").is_number() && is_wire_note(record.find("type").text()));
}

/// Returns true for types that end a step. A cancelled step has no end record.
bool ends_kimi_step(std::string_view type) {
  return is_one_of(type,
                   "turn.prompt turn.cancel turn.ended turn.step.interrupted "
                   "context.apply_compaction context.undo context.clear");
}

/// Returns true for a message that counts as a prompt of the user when Kimi undoes or compacts.
bool is_kimi_prompt(const json::Value& message) {
  if (!message.find("role").equals("user")) return false;
  const json::Value origin = message.find("origin");
  return says_nothing(origin) || origin.find("kind").equals("user") ||
         origin.find("trigger").equals("user-slash");
}

bool is_said_event(const json::Value& event) {
  const json::Value part = event.find("part");
  if (event.find("type").equals("tool.call")) return true;
  return event.find("type").equals("content.part") &&
         ((part.find("type").equals("text") && part.find("text").is_string()) ||
          (part.find("type").equals("think") && part.find("think").is_string()));
}

std::string take_kimi_parts(const json::Value& content, Turn& turn, Taken& taken) {
  std::string text = take_content(content, turn, taken);
  for (const json::Value& part : content.elements()) {
    attach_picture(part.find("imageUrl").find("url"), turn, taken);
  }
  return text;
}

class KimiSink final : public SessionSink {
 public:
  using SessionSink::SessionSink;

  Result<void> add(const json::Value& root) override {
    const std::string type = root.find("type").text();
    if (type == "context.append_loop_event") return add_event(root, root.find("event"));
    if (type == "context.append_message") {
      if (held_.empty()) return add_message(root);
      return wait(root, late_);  // It follows the step.
    }
    if (ends_kimi_step(type)) TRY(settle());
    if (type == "config.update" || type == "profile.bind") return add_config(root, type);
    if (type == "context.apply_compaction") return add_compaction(root);
    if (type == "llm.request" && root.find("kind").equals("loop")) {
      model_ = root.find("model").text();
      provider_ = root.find("provider").text();
    }
    if (type == "llm.request" && root.find("kind").equals("compaction")) {
      summary_model_ = root.find("model").text();
      summary_provider_ = root.find("provider").text();
    }
    if (type == "full_compaction.begin") summary_usage_ = "";
    if (type == "full_compaction.complete" || type == "full_compaction.cancel") {
      summary_usage_.reset();
      summary_model_.clear();
      summary_provider_.clear();
    }
    if (type == "usage.record") note_usage(root.find("usage"));
    if (type == "context.undo") undo(root.find("count").integer().value_or(0));
    if (type == "context.clear") clear();
    if (instructions_ && (!said_ || *said_ != *instructions_))
      return say_instructions(root, type, false);
    return note(root, label_of(type), is_wire_note(type));
  }

  /// A step without an end record may continue, and its usage is not known yet. A longer copy
  /// supersedes it.
  Result<void> finish() override { return settle(); }

 private:
  Result<void> note(const json::Value& root, std::string_view label, bool is_known) {
    return keep(root, label, is_known, time_of(root.find("time")));
  }

  /// Notes a usage, unless there are two, which are not added up.
  void note_usage(const json::Value& usage) {
    std::optional<std::string>& told = summary_usage_ ? summary_usage_ : step_usage_;
    if (told) told = told->empty() ? std::string(usage.raw()) : "null";
  }

  // --- Steps ----------------------------------------------------------------
  // A step is one answer. Its parts, calls and results are a record each. Usage and finish reason
  // come last, after the results. So the last part or call, and its results, wait for the end of
  // the step.

  Result<void> add_event(const json::Value& root, const json::Value& event) {
    const std::string type = event.find("type").text();
    const std::string label = label_of("context.append_loop_event", type);
    if (type == "step.begin") {
      TRY(begin_step(event.find("uuid").text()));
    } else if (is_said_event(event)) {
      const std::string step = event.find("stepUuid").text();
      if (!is_open_ || step != step_) TRY(begin_step(step));
      return hold(root, true);
    } else if (type == "tool.result") {
      return held_.empty() ? add_result(root) : hold(root, false);
    } else if (type == "step.end" && is_open_ && event.find("uuid").equals(step_)) {
      TRY(settle(event));
    }
    return note(root, label, is_wire_note(type));
  }

  Result<void> begin_step(std::string name) {
    TRY(settle());
    is_open_ = true;
    step_ = std::move(name);
    step_usage_ = "";
    step_place_ = shown_.size();
    shown_.emplace_back();
    return {};
  }

  Result<void> hold(const json::Value& root, bool is_said) {
    if (is_said) TRY(add_held({}, {}));
    return wait(root, held_);
  }

  Result<void> wait(const json::Value& root, std::vector<std::string>& waiting) {
    waiting.emplace_back(root.raw());
    waiting_bytes_ += root.raw().size();
    const bool is_full =
        held_.size() + late_.size() >= kMostHeld || waiting_bytes_ >= kMostHeldBytes;
    return is_full ? settle() : Result<void>();
  }

  /// Ends the open step, with its `end` record or without.
  Result<void> settle(const json::Value& end = {}) {
    is_open_ = false;
    const std::string told = std::exchange(step_usage_, {}).value_or("");
    const json::Document told_usage = read_again(told);
    const json::Value usage = end.find("usage");
    TRY(add_held(end, says_nothing(usage) ? told_usage.root() : usage));
    waiting_bytes_ = 0;
    return read_each(std::exchange(late_, {}),
                     [&](const json::Value& record) { return add_message(record); });
  }

  Result<void> add_held(const json::Value& end, const json::Value& usage) {
    bool is_said = true;  // True for the first; the others are results.
    return read_each(std::exchange(held_, {}), [&](const json::Value& record) {
      return std::exchange(is_said, false) ? add_said(record, end, usage) : add_result(record);
    });
  }

  Result<void> add_said(const json::Value& root, const json::Value& end, const json::Value& usage) {
    if (shown_[step_place_].commits.empty() && step_place_ + 1 != shown_.size()) {
      step_place_ = shown_.size();  // Messages before the step's first part stay before it.
      shown_.emplace_back();
    }
    const json::Value event = root.find("event");
    const json::Value part = event.find("part");
    TurnRecord made(root, tool());
    Taken& taken = made.taken();
    if (event.find("type").equals("tool.call")) {
      Turn& turn = made.start(Type::assistant);
      add_tool_call(turn, take_call(event, "toolCallId", "name", "args", taken));
      if (event.find("uuid").equals(turn.fields.tool_calls->front().id)) taken.text(event, "uuid");
    } else if (part.find("type").equals("think")) {
      made.start_reasoning(part.find("think"), "parsed");
      taken.text(part, "type");
    } else {
      made.start(Type::assistant).text = taken.text(part, "text");
      taken.text(part, "type");
    }
    add_end(end, usage, made);
    add_model_facts(event.find("stepUuid").text(), made);
    taken.text(event, "stepUuid");
    add_event_facts(event, made);
    return add_turns(made, label_of("context.append_loop_event", event.find("type").text()),
                     &shown_[step_place_].commits);
  }

  /// Adds facts of a whole step to its last part or call, and the usage of a compaction to its
  /// summary.
  static void add_end(const json::Value& end, const json::Value& usage, TurnRecord& made) {
    constexpr std::size_t kMost = 1'000;  // A longer one stays in the note about the end only.
    const std::array<std::pair<fact::Key, json::Value>, 3> said = {
        {{fact::usage, usage},
         {fact::finish_reason, end.find("finishReason")},
         {fact::response_id, end.find("messageId")}}};
    for (const auto& [key, value] : said) {
      if (says_nothing(value) || json::has_python_word(value)) continue;
      std::string written;
      json::append_canonical(written, value);
      if (written.size() > kMost) continue;
      made.reserve(key.key.size() + written.size() + 4);
      made.turns().back().facts.set_json(key.key, std::move(written));
    }
  }

  Result<void> add_result(const json::Value& root) {
    const json::Value event = root.find("event");
    const json::Value result = event.find("result");
    TurnRecord made(root, tool());
    Taken& taken = made.taken();
    Turn& turn = made.start_result(event, "toolCallId");
    if (event.find("parentUuid").equals(turn.fields.call_id)) taken.text(event, "parentUuid");
    turn.text = take_kimi_parts(result.is_object() ? result.find("output") : result, turn, taken);
    turn.fields.is_error = taken.flag(result, "isError");
    add_event_facts(event, made);
    shown_.emplace_back();
    return add_turns(made, label_of("context.append_loop_event", "tool.result"),
                     &shown_.back().commits);
  }

  void add_event_facts(const json::Value& event, TurnRecord& made) {
    made.taken().text(event, "type");
    made.fact(fact::turn_id, event.find("turnId"));
    made.fact(fact::step, event.find("step"));
    if (!made.taken().has(event.find("uuid"))) made.fact(fact::uuid, event.find("uuid"));
    add_facts(made);
  }

  void add_model_facts(const std::string& message, TurnRecord& made) {
    made.made_fact_text(fact::message_id, message);
    made.set_model({}, model_);
    made.made_fact_text(fact::provider, provider_);
  }

  void add_facts(TurnRecord& made) {
    const json::Value agent = made.root().find("agentId");
    made.taken().text(made.root(), "type");
    made.set_time(made.root().find("time"));
    if (agent.equals("main")) {
      made.taken()(agent);
    } else {
      made.fact(fact::agent, agent);
    }
    made.fact_text(fact::cwd, cwd_);
  }

  // --- Messages -------------------------------------------------------------

  Result<void> add_message(const json::Value& root) {
    const json::Value message = root.find("message");
    const std::string role = message.find("role").text();
    const std::string label = label_of("context.append_message", role);
    TurnRecord made(root, tool());
    if (role == "user") {
      make_input(message, made);
    } else if (role == "assistant") {
      make_answer(message, made);
    } else if (role == "tool") {
      Turn& turn = made.start_result(message, "toolCallId", "", "isError");
      turn.text = take_kimi_parts(message.find("content"), turn, made.taken());
    } else if (role == "system") {
      Turn& turn = made.start(Type::system);
      turn.text = take_kimi_parts(message.find("content"), turn, made.taken());
    } else {
      return note(root, label, false);
    }
    made.taken().text(message, "role");
    made.fact(fact::uuid, message.find("id"));
    add_facts(made);
    if (is_kimi_prompt(message)) prompts_.push_back({tip(), shown_.size(), said_});
    shown_.push_back({{}, is_kimi_prompt(message)});
    return add_turns(made, label, &shown_.back().commits);
  }

  static void make_input(const json::Value& message, TurnRecord& made) {
    Turn& turn = made.start(Type::user);
    turn.text = take_kimi_parts(message.find("content"), turn, made.taken());
    const json::Value origin = message.find("origin");
    const bool is_typed = says_nothing(origin) || origin.find("kind").equals("user");
    if (is_typed) turn.author = "user";
    if (!is_typed) made.flag(fact::injected);
    if (is_typed && origin.size() == 1) {
      made.taken()(origin);
    } else {
      made.fact(fact::origin, origin);
    }
  }

  void make_answer(const json::Value& message, TurnRecord& made) {
    Taken& taken = made.taken();
    const json::Value content = message.find("content");
    for (const json::Value& part : content.elements()) {
      if (!part.find("think").is_string()) continue;
      made.start_reasoning(part.find("think"), "parsed");
    }
    Turn& turn = made.start(Type::assistant);
    turn.text = take_kimi_parts(content, turn, taken);
    for (const json::Value& call : message.find("toolCalls").elements()) {
      const json::Value function = call.find("function");
      const json::Value& named = function.is_object() ? function : call;  // As in version 1.0.
      add_tool_call(turn, {taken.word(call, "id"), taken.text(named, "name"),
                           text_or_bytes(taken(named, "arguments"))});
    }
    const bool is_several = made.turns().size() > 1;
    add_model_facts(is_several ? "message-" + record_number() : std::string(), made);
  }

  // --- Configuration --------------------------------------------------------

  /// Adds the system prompt as a turn if it is new.
  Result<void> add_config(const json::Value& root, const std::string& type) {
    for (const json::Value& cwd :
         {root.find("cwd"), root.find("environmentDisclosure").find("cwd")}) {
      if (std::string folder = cwd.text(); !folder.empty()) cwd_ = std::move(folder);
    }
    if (std::string alias = root.find("modelAlias").text(); !alias.empty()) {
      model_ = std::move(alias);  // Until a request names the model.
      provider_.clear();
    }
    std::string prompt = root.find("systemPrompt").text();
    if (prompt.empty() || (instructions_ && prompt == *instructions_)) {
      return note(root, label_of(type), true);
    }
    instructions_ = std::make_shared<const std::string>(std::move(prompt));
    return say_instructions(root, type, true);
  }

  /// Adds the current instructions to the line. They are not part of what is undone or cleared, so
  /// a line may continue without them; then `is_new` is false.
  Result<void> say_instructions(const json::Value& root, const std::string& type, bool is_new) {
    TurnRecord made(root, tool());
    Turn& turn = made.start(Type::system);
    turn.text = is_new ? made.taken().text(root, "systemPrompt") : *instructions_;
    turn.fields.name = "instructions";
    add_facts(made);
    TRY(add_turns(made, label_of(type)));
    said_ = instructions_;
    if (shown_.empty()) {
      head_ = tip();
      head_said_ = said_;
    }
    return {};
  }

  // --- The model's view -----------------------------------------------------

  /// A message of the context, counted by the next compaction.
  struct VisibleMessage {
    std::vector<Oid> commits;
    bool is_prompt = false;
  };

  /// Goes back to before the last `count` prompts. Does nothing if there are fewer.
  void undo(std::int64_t count) {
    if (count <= 0 || static_cast<std::uint64_t>(count) > prompts_.size()) return;
    const std::size_t left = prompts_.size() - static_cast<std::size_t>(count);
    go_back_to(prompts_[left].before);
    said_ = prompts_[left].said;
    shown_.resize(prompts_[left].shown);
    prompts_.resize(left);
  }

  void clear() {
    go_back_to(head_);
    said_ = head_said_;
    shown_.clear();
    prompts_.clear();
  }

  Result<void> add_compaction(const json::Value& root) {
    const json::Value summary = root.find("summary");
    const json::Value context = root.find("contextSummary");
    const json::Value text = context.is_string()   ? context
                             : summary.is_object() ? summary.find("content")
                                                   : summary;
    const std::string label = label_of("context.apply_compaction");
    if (says_nothing(text)) return note(root, label, true);
    TurnRecord made(root, tool());
    Turn& turn = made.start(Type::summary);
    turn.text = take_kimi_parts(text, turn, made.taken());
    const std::string told = std::exchange(summary_usage_, {}).value_or("");
    const json::Document usage = read_again(told);
    add_end({}, usage.root(), made);
    made.fact_text(fact::model, summary_model_);
    made.fact_text(fact::provider, summary_provider_);
    add_facts(made);
    const Replaced replaced = compact(root);
    // The summary follows the kept prompts and compresses only the turns after the last of them.
    if (!replaced.before.empty()) set_tip(TRY(writer().skip(*tip(), replaced.before)));
    for (const Turn& each : made.finish(report())) {
      set_tip(replaced.behind.empty() ? TRY(writer().append(tip(), each))
                                      : TRY(writer().compress(*tip(), replaced.behind, each)));
    }
    shown_.push_back({{*tip()}, false});
    prompts_.clear();  // The user cannot go back past it.
    return count_turns(made);
  }

  /// Turns that a summary replaces, before and after the last kept prompt.
  struct Replaced {
    std::vector<Oid> before, behind;
  };

  /// Removes the messages that a compaction replaces from `shown_`: all but the given numbers of
  /// first and last prompts. An early record gives the number of replaced messages from the
  /// beginning.
  Replaced compact(const json::Value& root) {
    const auto count_of = [&](std::string_view key) {
      return static_cast<std::size_t>(
          std::max<std::int64_t>(root.find(key).integer().value_or(0), 0));
    };
    const bool keeps_prompts = root.find("keptUserMessageCount").is_number();
    const std::size_t kept = count_of("keptUserMessageCount");
    const std::size_t first = std::min(count_of("keptHeadUserMessageCount"), kept);
    const std::size_t compacted = count_of("compactedCount");
    const auto prompts = static_cast<std::size_t>(std::count_if(
        shown_.begin(), shown_.end(), [](const VisibleMessage& each) { return each.is_prompt; }));
    Replaced replaced;
    std::vector<VisibleMessage> left;
    std::size_t prompt = 0;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      VisibleMessage& each = shown_[i];
      bool stays = i >= compacted;
      if (keeps_prompts) {
        stays = each.is_prompt && (prompt < first || prompts - prompt <= kept - first);
        if (each.is_prompt) ++prompt;
      }
      if (stays) {
        left.push_back(std::move(each));
        if (!keeps_prompts) continue;
        replaced.before.insert(replaced.before.end(), replaced.behind.begin(),
                               replaced.behind.end());
        replaced.behind.clear();
      } else {
        replaced.behind.insert(replaced.behind.end(), each.commits.begin(), each.commits.end());
      }
    }
    shown_ = std::move(left);
    return replaced;
  }

  static constexpr std::size_t kMostHeld = 1'024;
  static constexpr std::size_t kMostHeldBytes = 16U << 20U;

  bool is_open_ = false;  // A step.
  std::string step_;
  std::size_t step_place_ = 0;             // In shown_.
  std::vector<std::string> held_;          // The step's last part or call, and results.
  std::vector<std::string> late_;          // Messages that came during the step.
  std::size_t waiting_bytes_ = 0;          // Of both.
  std::optional<std::string> step_usage_;  // During a step; empty: not read yet.

  std::string model_, provider_, cwd_;
  using Text = std::shared_ptr<const std::string>;
  Text instructions_;  // In force; null: none.
  Text said_;  // The line's last ones; they differ from instructions_ only after going back.
  std::optional<Oid> head_;  // The tip after the first instructions,
  Text head_said_;           // and these.

  std::optional<std::string> summary_usage_;      // The usage of a compaction,
  std::string summary_model_, summary_provider_;  // and its model.

  struct PromptMark {
    std::optional<Oid> before;  // The tip before the prompt.
    std::size_t shown = 0;      // The number of messages before it.
    Text said;                  // The instructions there.
  };
  std::vector<PromptMark> prompts_;  // Since the last compaction.
  std::vector<VisibleMessage> shown_;
};

int score_kimi(const Head& head) {
  if (head.contains(is_wire_head)) return score::kSigned;
  return is_kimi_context(head) ? score::kOwn : score::kNone;
}

Result<LossReport> import_kimi(std::string_view tool, Source& source, graph::Repository& repository,
                               const ImportOptions& options) {
  const std::string bytes = TRY(read_head(source, kHead));
  ResumedSource whole(source, bytes);
  const Head head(bytes);
  if (!head.contains(is_wire_head) && is_kimi_context(head)) {
    return import_kimi_context(tool, whole, repository, options);
  }
  return import_lines_into<KimiSink, is_wire_record>(tool, whole, repository, options);
}

}  // namespace

/// Reads the wire logs of Kimi Code: the changes of an agent's context, one record per line. Also
/// reads the contexts of Kimi CLI, its predecessor (kimi_context.h).
///
/// Sources: github.com/MoonshotAI/kimi-code, packages/agent-core/src/agent/context/index.ts (how
/// the context is made of a log) and apps/vis/server/src/lib/agent-record-types.ts (the records).
const Importer kKimi = {"kimi", "Kimi Code", score_kimi, import_kimi};

}  // namespace spoor::import::formats
