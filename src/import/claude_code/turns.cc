#include "import/claude_code/turns.h"

#include <utility>

#include "compile/base64.h"
#include "import/claude_code/facts.h"
#include "import/claude_code/tool_result.h"
#include "import/names.h"
#include "import/turn_record.h"
#include "llm/commit_reply.h"
#include "llm/item_shape.h"
#include "store/commit.h"
#include "store/utf8.h"

namespace spoor::import::claude_code {
namespace {

using compile::Item;
using compile::ToolCall;
using compile::Turn;
using compile::Type;

enum class BlockKind { thinking, result, other };

BlockKind kind_of(const json::Value& block) {
  const std::string type = block.find("type").text();
  if (type == "thinking" || type == "redacted_thinking") return BlockKind::thinking;
  if (type == "tool_result") return BlockKind::result;
  return BlockKind::other;
}

/// The picture of a base64 image block; nothing when it is not one.
std::optional<Item> image_of(const json::Value& block) {
  const json::Value source = block.find("source");
  if (!source.find("type").equals("base64")) return std::nullopt;
  const std::string media_type = source.find("media_type").text();
  if (!media_type.starts_with("image/") || !store::is_media_type(media_type)) return std::nullopt;
  auto bytes = compile::decode_base64(source.find("data").text());
  if (!bytes) return std::nullopt;
  return Item{std::move(*bytes), media_type};
}

class TurnMaker {
 public:
  TurnMaker(const Record& record, OpenCalls& calls, LossReport& report)
      : record_(record), calls_(calls), report_(report) {}

  RecordTurns make() {
    if (record_.is_bare_call) add_bare_call();
    if (record_.is_bare_result) add_bare_result();
    if (record_.content.is_string()) {
      start(base_type());
      turn().text = record_.content.text();
      items_.push_back(record_.content);
    }
    for (const json::Value& block : record_.content.elements()) add_block(block);
    if (out_.turns.empty()) start(base_type());
    finish_turn();
    add_facts();
    if (record_.is_api_error) out_.turns.back().facts.set(fact::decision, llm::kCallFailed);
    return std::move(out_);
  }

 private:
  Turn& turn() { return out_.turns.back(); }

  Type base_type() const {
    if (record_.is_compact_summary) return Type::summary;
    if (record_.is_api_error) return Type::decision;
    return record_.is_assistant() ? Type::assistant : Type::user;
  }

  void start(Type type) {
    finish_turn();
    out_.turns.emplace_back();
    turn().type = type;
    open_ = true;
  }

  /// Leaves out the items that the turn's shape makes again, else keeps them.
  void finish_turn() {
    if (!std::exchange(open_, false)) return;
    shapes_.emplace_back();
    if (!items_come_back(shapes_.back())) {
      for (const json::Value& item : items_) turn().raw.push_back({std::string(item.raw())});
    }
    items_.clear();
  }

  /// Does a shape make the items again? It is then in `shape`, unless it is the
  /// usual one of the turn.
  bool items_come_back(std::string& shape) {
    if (items_.empty()) {  // An answer of nothing.
      shape = "n";
      return true;
    }
    for (const json::Value& item : items_) {
      if (!store::is_utf8(item.raw())) return false;  // It does not survive in `fields`.
    }
    const auto found = llm::find_shape(items_, turn());
    if (!found) return false;
    if (*found == llm::default_shape(turn())) return true;
    if (found->size() > kMaxShape) return false;
    shape = *found;
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
    add_readable(block);
  }

  void count_if_odd(const std::string& type) {
    if (is_one_of(type, "text tool_use image tool_reference")) return;
    report_.odd_blocks[type.empty() ? "(no type)" : plain_word(type)] += 1;
  }

  /// What people can read of a block: its text, or the picture.
  void add_readable(const json::Value& block) {
    const std::string type = block.find("type").text();
    if (type == "text") turn().text += block.find("text").text();
    if (type == "tool_reference") add_reference(block.find("tool_name").text());
    if (type != "image") return;
    if (auto image = image_of(block)) turn().attach.push_back(std::move(*image));
  }

  /// A tool that a search found: the model sees its definition in this place.
  void add_reference(const std::string& tool) {
    if (!turn().text.empty()) turn().text += '\n';
    turn().text += tool;
  }

  void add_call(const json::Value& block) {
    ToolCall call{block.find("id").text(), block.find("name").text(),
                  std::string(block.find("input").raw())};
    if (!call.id.empty()) {
      out_.made_calls.push_back(call.id);
      calls_.add(call.id, call.arguments);
    }
    add_tool_call(turn(), std::move(call));
  }

  /// A call without an id is called by its record.
  void add_bare_call() {
    start(Type::assistant);
    const json::Value input = record_.root.find("input");
    add_tool_call(turn(), {record_.uuid, record_.root.find("name").text(),
                           input ? std::string(input.raw()) : "{}"});
    if (!record_.uuid.empty()) out_.made_calls.push_back(record_.uuid);
    calls_.set_bare(record_.uuid);
    items_.push_back(record_.root);
  }

  void add_bare_result() {
    start(Type::tool);
    turn().fields.call_id = calls_.take_bare();
    turn().fields.name = record_.root.find("name").text();
    turn().fields.is_error = record_.root.find("is_error").is_true();
    turn().text = text_or_bytes(record_.root.find("output"));
    if (!turn().fields.call_id.empty()) out_.answered.push_back(turn().fields.call_id);
    items_.push_back(record_.root);
  }

  void add_result(const json::Value& block) {
    turn().fields.call_id = block.find("tool_use_id").text();
    turn().fields.is_error = block.find("is_error").is_true();
    const json::Value content = block.find("content");
    turn().text = content.text();
    for (const json::Value& part : content.elements()) {
      count_if_odd(part.find("type").text());
      add_readable(part);
    }
    if (!turn().fields.call_id.empty()) out_.answered.push_back(turn().fields.call_id);
  }

  /// The structured result is of the record's first tool result.
  std::string novel_result() {
    const json::Value structured = record_.root.find(record_.result_key());
    std::string novel = structured ? std::string(structured.raw()) : std::string();
    bool first = true;
    for (const Turn& made : out_.turns) {
      if (made.type != Type::tool) continue;
      const std::string arguments = calls_.take(made.fields.call_id);
      if (std::exchange(first, false) && structured) {
        novel = novel_part(structured, made.text, arguments);
      }
    }
    return novel;
  }

  /// Who wrote it, in the source's own words: the model, or the user.
  std::string author() const {
    std::string name;
    if (record_.is_assistant()) {
      name = record_.message.find("model").text();
    } else if (!record_.is_injected && !record_.is_compact_summary && !record_.is_sidechain &&
               !record_.is_bare_call) {
      name = "user";
    }
    return store::is_author(name) ? name : std::string();
  }

  void add_facts() {
    const RecordFacts facts = sort_facts(record_, novel_result(), report_);
    const std::string name = author();
    for (std::size_t i = 0; i < out_.turns.size(); ++i) {
      Turn& made = out_.turns[i];
      const bool last = i + 1 == out_.turns.size();
      made.facts = last ? facts.last : facts.all;
      if (!shapes_[i].empty()) made.facts.set(fact::shape, shapes_[i]);
      made.time = record_.time;
      if (made.type != Type::tool) made.author = name;
      if (last && !facts.rest.empty()) made.attach.push_back({facts.rest});
    }
  }

  static constexpr std::size_t kMaxShape = 128;

  const Record& record_;
  OpenCalls& calls_;
  LossReport& report_;
  RecordTurns out_;
  std::vector<std::string> shapes_;  // One a turn; empty: the default, or none.
  std::vector<json::Value> items_;   // Of the open turn.
  bool open_ = false;
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

RecordTurns make_turns(const Record& record, OpenCalls& calls, LossReport& report) {
  return TurnMaker(record, calls, report).make();
}

}  // namespace spoor::import::claude_code
