#include "import/claude_code/turns.h"

#include <set>
#include <utility>

#include "base/utf8.h"
#include "import/claude_code/tool_result.h"
#include "import/content.h"
#include "import/names.h"
#include "llm/commit_reply.h"
#include "llm/item_shape.h"
#include "store/commit.h"

namespace spoor::import::claude_code {
namespace {

using compile::ToolCall;
using compile::Turn;
using compile::Type;

/// A source key and its meta key. The list is complete: docs/importing.md, "Facts".
struct Name {
  std::string_view key;
  fact::Key fact;
};

constexpr Name kRecordFacts[] = {
    {"sessionId", fact::session},
    {"uuid", fact::uuid},
    {"agentId", fact::agent},
    {"cwd", fact::cwd},
    {"gitBranch", fact::git_branch},
    {"version", fact::agent_version},
    {"requestId", fact::request_id},
    {"entrypoint", fact::entrypoint},
    {"slug", fact::slug},
    {"effort", fact::effort},
    {"advisorModel", fact::advisor_model},
    {"promptId", fact::prompt_id},
    {"promptSource", fact::prompt_source},
    {"permissionMode", fact::permission_mode},
    {"thinkingMetadata", fact::thinking_metadata},
    {"origin", fact::origin},
    {"isMeta", fact::injected},
    {"isApiErrorMessage", fact::api_error},
};

constexpr Name kStreamFacts[] = {{"session_id", fact::session},
                                 {"parent_tool_use_id", fact::agent},
                                 {"isSynthetic", fact::injected}};

constexpr Name kMessageFacts[] = {{"model", fact::model}, {"id", fact::message_id}};

constexpr Name kLastFacts[] = {{"stop_reason", fact::finish_reason},
                               {"stop_sequence", fact::stop_sequence},
                               {"usage", fact::usage}};

/// Keys that the graph replaces: types, parents, sidechains, the call of a result.
constexpr std::string_view kGraph =
    "type parentUuid logicalParentUuid isSidechain isCompactSummary isVisibleInTranscriptOnly "
    "sourceToolAssistantUUID";

enum class BlockKind { thinking, result, other };

BlockKind kind_of(const json::Value& block) {
  const std::string type = block.find("type").text();
  if (type == "thinking" || type == "redacted_thinking") return BlockKind::thinking;
  if (type == "tool_result") return BlockKind::result;
  return BlockKind::other;
}

/// Takes all but the last member of each key: the last one counts.
void take_duplicates(const json::Value& object, Taken& taken) {
  std::vector<json::Member> members;
  for (const json::Member& member : object.members()) members.push_back(member);
  std::set<std::string> seen;
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (!seen.insert(member->key.text()).second) taken(member->value);
  }
}

class TurnMaker {
 public:
  TurnMaker(const Record& record, OpenCalls& calls, LossReport& report, TurnRecord& made)
      : record_(record), calls_(calls), report_(report), made_(made), taken_(made.taken()) {}

  void make() {
    if (record_.is_bare_call) add_bare_call();
    if (record_.is_bare_result) add_bare_result();
    if (record_.content.is_string()) {
      start(base_type());
      turn().text = record_.content.text();
      items_.push_back(record_.content);
    }
    for (const json::Value& block : record_.content.elements()) add_block(block);
    if (!made_.has_turns()) start(base_type());
    finish_turn();
    add_facts();
    take_repeated();
    if (record_.is_api_error) turn().facts.set(fact::decision, llm::kCallFailed);
  }

 private:
  Turn& turn() { return made_.turns().back(); }

  Type base_type() const {
    if (record_.is_compact_summary) return Type::summary;
    if (record_.is_api_error) return Type::decision;
    return record_.is_assistant() ? Type::assistant : Type::user;
  }

  void start(Type type) {
    finish_turn();
    made_.start(type);
    is_open_ = true;
  }

  /// Keeps the turn's items in `raw`, unless its shape can rebuild them.
  void finish_turn() {
    if (!std::exchange(is_open_, false)) return;
    const std::vector<json::Value> items = std::exchange(items_, {});
    if (items_come_back(items)) return;
    for (const json::Value& item : items) turn().raw.push_back({std::string(item.raw())});
  }

  /// Returns true if a shape can rebuild the items. Adds it as a fact, unless it is the turn's
  /// default.
  bool items_come_back(const std::vector<json::Value>& items) {
    if (items.empty()) {  // An answer without content.
      turn().facts.set(fact::shape, "n");
      return true;
    }
    for (const json::Value& item : items) {
      if (!is_utf8(item.raw())) return false;  // `fields` cannot store it.
    }
    const auto found = llm::find_shape(items, turn());
    if (!found) return false;
    if (*found == llm::default_shape(turn())) return true;
    if (found->size() > kMaxShape) return false;
    turn().facts.set(fact::shape, *found);
    return true;
  }

  void add_block(const json::Value& block) {
    switch (kind_of(block)) {
      case BlockKind::thinking:
        start(Type::reasoning);
        turn().text = block.find("thinking").text();
        turn().fields.format = "anthropic";
        in_run_ = false;
        break;
      case BlockKind::result:
        start(Type::tool);
        add_result(block);
        in_run_ = false;
        break;
      case BlockKind::other:
        if (!std::exchange(in_run_, true)) start(base_type());
        add_to_run(block);
        break;
    }
    items_.push_back(block);
  }

  void add_to_run(const json::Value& block) {
    const std::string type = block.find("type").text();
    count_if_odd(type);
    if (type == "tool_use" && record_.is_assistant()) return add_call(block);
    add_readable(block, type);
  }

  void count_if_odd(const std::string& type) {
    if (is_one_of(type, "text tool_use image tool_reference")) return;
    report_.odd_blocks[type.empty() ? "(no type)" : plain_word(type)] += 1;
  }

  /// Adds the readable part of a block: its text, or the picture.
  void add_readable(const json::Value& block, const std::string& type) {
    if (type == "text") turn().text += block.find("text").text();
    if (type == "tool_reference") {  // A tool found by a search: the model sees its definition.
      if (!turn().text.empty()) turn().text += '\n';
      turn().text += block.find("tool_name").text();
    }
    const json::Value source = block.find("source");
    if (type != "image" || !source.find("type").equals("base64")) return;
    Taken ignored;  // The item contains it, or its shape can rebuild it.
    attach_picture(source.find("media_type"), source.find("data"), turn(), ignored);
  }

  void add_call(const json::Value& block) {
    ToolCall call{block.find("id").text(), block.find("name").text(),
                  std::string(block.find("input").raw())};
    if (!call.id.empty()) calls_.add(call.id, call.arguments);
    add_tool_call(turn(), std::move(call));
  }

  /// Adds a call without an id. The record's name is its id.
  void add_bare_call() {
    start(Type::assistant);
    const json::Value input = record_.root.find("input");
    add_tool_call(turn(), {record_.uuid, record_.root.find("name").text(),
                           input ? std::string(input.raw()) : "{}"});
    calls_.set_bare(record_.uuid);
    items_.push_back(record_.root);
  }

  void add_bare_result() {
    start(Type::tool);
    turn().fields.call_id = calls_.take_bare();
    turn().fields.name = record_.root.find("name").text();
    turn().fields.is_error = record_.root.find("is_error").is_true();
    turn().text = text_or_bytes(record_.root.find("output"));
    items_.push_back(record_.root);
  }

  void add_result(const json::Value& block) {
    turn().fields.call_id = block.find("tool_use_id").text();
    turn().fields.is_error = block.find("is_error").is_true();
    const json::Value content = block.find("content");
    turn().text = content.text();
    for (const json::Value& part : content.elements()) {
      const std::string type = part.find("type").text();
      count_if_odd(type);
      add_readable(part, type);
    }
  }

  // --- Facts ------------------------------------------------------------------

  /// Facts of every turn of the record are added first, while there is room.
  void add_facts() {
    // Claude Code writes some replies itself, with the model `<synthetic>`.
    const std::string model = record_.message.find("model").text();
    if (record_.is_assistant() && !model.starts_with('<')) {
      made_.fact_text(fact::provider, "anthropic");
    }
    for (const auto& [key, fact] : kRecordFacts) made_.fact(fact, record_.root.find(key));
    if (record_.is_streamed) {
      for (const auto& [key, fact] : kStreamFacts) made_.fact(fact, record_.root.find(key));
    }
    for (const auto& [key, fact] : kMessageFacts) made_.fact(fact, record_.message.find(key));
    for (const auto& [key, fact] : kLastFacts) made_.turn_fact(fact, record_.message.find(key));
    if (record_.time) made_.set_time(record_.root.find("timestamp"));
    // The author as in the source: the model, or the user.
    if (record_.is_assistant()) {
      made_.set_author(model);
    } else if (!record_.is_injected && !record_.is_compact_summary && !record_.is_sidechain &&
               !record_.is_bare_call) {
      made_.set_author("user");
    }
  }

  // --- Values that the turns contain ------------------------------------------

  void take_repeated() {
    const json::Value root = record_.root;
    const bool is_bare = record_.is_bare_call || record_.is_bare_result;  // All of it is in `raw`.
    take_duplicates(root, taken_);
    take_result();
    for (const json::Member& member : root.members()) {
      const std::string key = member.key.text();
      if (key == "message") continue;
      if (is_bare || is_one_of(key, kGraph) || repeats_something(key, member.value)) {
        taken_(member.value);
      }
    }
    take_message(root.find("message"));
    if (record_.is_queued) take_queued(root.find("attachment"));
  }

  bool repeats_something(const std::string& key, const json::Value& value) {
    if (key == "content") return record_.type == "queue-operation";
    if (key == "userType") return value.equals("external");
    if (key == "session_id") return value.equals(record_.session);
    if (key != "sourceToolUseID" || says_nothing(value) || !answers(value.text())) return false;
    report_.repeated_facts[key] += 1;
    return true;
  }

  bool answers(std::string_view call_id) const {
    for (const json::Value& block : record_.content.elements()) {
      if (block.find("tool_use_id").equals(call_id)) return true;
    }
    return false;
  }

  /// The structured result belongs to the record's first tool result.
  void take_result() {
    const json::Value structured = record_.root.find(record_.result_key());
    bool is_first = true;
    for (const Turn& made : made_.turns()) {
      if (made.type != Type::tool) continue;
      const std::string arguments = calls_.take(made.fields.call_id);
      if (!std::exchange(is_first, false) || says_nothing(structured)) continue;
      const bool is_bare = record_.is_bare_call || record_.is_bare_result;
      if (!take_known(structured, made.text, arguments, taken_) || is_bare) continue;
      report_.repeated_facts[std::string(record_.result_key())] += 1;
    }
  }

  void take_message(const json::Value& message) {
    take_duplicates(message, taken_);
    if (!message.is_object()) taken_(message);
    taken_(message, "content");
    if (message.find("role").equals(record_.type)) taken_(message, "role");
    if (message.find("type").equals("message")) taken_(message, "type");
  }

  void take_queued(const json::Value& queued) {
    take_duplicates(queued, taken_);
    taken_(queued, "type");
    taken_(queued, "prompt");
    const json::Value time = queued.find("timestamp");
    if (time.raw() == record_.root.find("timestamp").raw()) taken_(time);
  }

  static constexpr std::size_t kMaxShape = 128;

  const Record& record_;
  OpenCalls& calls_;
  LossReport& report_;
  TurnRecord& made_;
  Taken& taken_;
  std::vector<json::Value> items_;  // Items of the open turn.
  bool is_open_ = false;
  bool in_run_ = false;
};

}  // namespace

void OpenCalls::add(const std::string& id, std::string_view arguments) {
  if (bytes_ + arguments.size() > kMaxBytes) {
    arguments_.clear();
    bytes_ = 0;
  }
  if (arguments.size() > kMaxBytes) return;
  if (arguments_.try_emplace(id, arguments).second) bytes_ += arguments.size();
}

std::string OpenCalls::take(const std::string& id) {
  const auto found = arguments_.find(id);
  if (found == arguments_.end()) return {};
  std::string arguments = std::move(found->second);
  arguments_.erase(found);
  bytes_ -= arguments.size();
  return arguments;
}

void make_turns(const Record& record, OpenCalls& calls, LossReport& report, TurnRecord& made) {
  TurnMaker(record, calls, report, made).make();
}

}  // namespace spoor::import::claude_code
