#include "import/chat_message.h"

#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "compile/turn.h"
#include "import/content.h"
#include "import/names.h"
#include "llm/item_shape.h"
#include "llm/wire/think_tags.h"

namespace spoor::import {
namespace {

using compile::Turn;
using compile::Type;

class ChatReader {
 public:
  ChatReader(const json::Value& message, const ChatStyle& style, TurnRecord& made)
      : message_(message),
        style_(style),
        made_(made),
        taken_(made.taken()),
        type_(type_of_role(message.find("role").text())),
        has_blocks_(style.is_in_blocks) {}

  ChatReader(Type type, const ChatStyle& style, TurnRecord& made)
      : ChatReader(json::Value(), style, made) {
    type_ = type;
  }

  void read_content(const json::Value& content) {
    if (content.is_string()) run().text += taken_.text(content);
    for (const json::Value& block : content.elements()) add_block(block);
    if (!made_.has_turns()) run();
    finish_run();
  }

  void read() {
    const std::string role = taken_.text(message_, "role");
    if (type_ == Type::tool) return add_result_message();
    if (type_ == Type::assistant) add_reasoning_members();
    const json::Value content = message_.find("content");
    if (content.is_string()) {
      std::string text = taken_.text(content);
      // Blocks of the Messages API have separate thoughts.
      const bool may_think = type_ == Type::assistant && !style_.is_in_blocks && !made_.has_turns();
      if (may_think && take_tagged_thoughts(text, made_)) tagged_ = content.text();
      run().text += text;
      if (!style_.is_in_blocks) items_.push_back(content);
    }
    for (const json::Value& block : content.elements()) add_block(block);
    if (type_ == Type::assistant)
      add_calls();  // Only the model can call. Calls of others are kept.
    if (const json::Value refusal = message_.find("refusal"); refusal.is_string()) {
      run().text += taken_.text(refusal);
    }
    if (!made_.has_turns() || (type_ == Type::assistant && !has_run_)) run();
    finish_run();
    if (role == "developer") made_.turns().back().fields.role = role;
    if (type_ == Type::assistant && style_.is_provider_item && !has_blocks_) {
      keep_whole();
    } else if (!tagged_.empty()) {
      made_.turns().back().raw.push_back({tagged_, "text/plain"});
    }
  }

 private:
  Turn& run() {
    if (std::exchange(in_run_, true)) return made_.turns().back();
    has_run_ = true;
    return made_.start(type_);
  }

  /// Adds the provider's blocks of the run to `raw`, unless the turn can rebuild them.
  void finish_run() {
    if (!std::exchange(in_run_, false)) return;
    Turn& turn = made_.turns().back();
    const std::vector<json::Value> items = std::exchange(items_, {});
    if (type_ != Type::assistant || !style_.is_provider_item || !has_blocks_) return;
    if (items.empty()) return;
    bool comes_back = true;
    for (const json::Value& item : items) comes_back = comes_back && is_utf8(item.raw());
    const auto shape = llm::find_shape(items, turn);
    for (const json::Value& item : items) taken_(item);
    if (comes_back && shape && *shape == llm::default_shape(turn)) return;
    for (const json::Value& item : items) turn.raw.push_back({std::string(item.raw())});
  }

  /// Adds the whole message to `raw` as one item, as replies of this API are stored.
  void keep_whole() {
    made_.turns().back().raw.push_back({std::string(message_.raw())});
    taken_(message_);
  }

  void add_reasoning_members() {
    for (const std::string_view key : {"reasoning_content", "reasoning", "thinking"}) {
      const json::Value value = message_.find(key);
      if (!value.is_string() || says_nothing(value)) continue;
      made_.start_reasoning(value, style_.reasoning_format);
      return;  // The other members repeat it.
    }
    std::string thoughts;  // A list of blocks, from LiteLLM.
    for (const json::Value& block : message_.find("thinking_blocks").elements()) {
      thoughts += block.find("thinking").text();
    }
    if (thoughts.empty()) return;
    Turn& turn = made_.start(Type::reasoning);
    turn.text = std::move(thoughts);
    turn.fields.format = style_.reasoning_format;
  }

  void add_block(const json::Value& block) {
    if (block.is_string()) {
      run().text += taken_.text(block);
      items_.push_back(block);
      return;
    }
    const std::string type = block.find("type").text();
    if (is_one_of(type, "thinking redacted_thinking reasoning think")) {  // `think` is Kimi's.
      add_thinking(block, type);
    } else if (type == "tool_result") {
      add_result_block(block);
    } else {
      add_to_run(block, type);
    }
  }

  void add_thinking(const json::Value& block, const std::string& type) {
    finish_run();
    const bool is_anthropic = type == "thinking" || type == "redacted_thinking";
    Turn& turn =
        made_.start_reasoning(find_text(block, {"thinking", "reasoning", "think", "text", "value"}),
                              is_anthropic ? "anthropic" : "parsed");
    taken_(block, "type");
    const bool is_item = style_.is_provider_item && is_anthropic;
    const bool is_sealed =
        !says_nothing(block.find("signature")) || !says_nothing(block.find("encrypted"));
    if (!is_item && !is_sealed) return;
    has_blocks_ = has_blocks_ || is_item;
    turn.raw.push_back({std::string(block.raw())});
    taken_(block);
  }

  void add_to_run(const json::Value& block, const std::string& type) {
    Turn& turn = run();
    items_.push_back(block);
    if (type == "tool_use" && type_ == Type::assistant) {
      const json::Value input = block.find("input");
      has_blocks_ = has_blocks_ || input;
      const std::string id = taken_.word(block, "id");
      std::string arguments =
          input ? std::string(taken_(input).raw()) : text_or_bytes(taken_(block, "arguments"));
      add_tool_call(turn, {id, taken_.text(block, "name"), std::move(arguments)});
      taken_(block, "type");
      if (!input) add_hosted_result(block, id);
      return;
    }
    if (type == "tool_call" && type_ == Type::assistant && add_value_call(block, turn)) return;
    if (type == "file" && block.find("content").is_string()) {  // Its path stays.
      turn.text += taken_.text(block, "content");
      return;
    }
    if (const json::Value text = find_text(block, {"text", "value", "refusal"})) {
      turn.text += taken_.text(text);
      take_text_type(block, taken_);
    }
    add_picture(block, turn);
  }

  /// Adds a call of some data sets: a JSON text with a name and arguments in `value`, without an
  /// id.
  bool add_value_call(const json::Value& block, Turn& turn) {
    const std::string value = block.find("value").text();
    const json::Document call = read_again(value);
    const json::Value name = call.root().find("name");
    const json::Value arguments = call.root().find("arguments");
    if (says_nothing(name) || !name.is_string() || !arguments || call.root().size() != 2) {
      return false;
    }
    add_tool_call(turn, {{}, name.text(), text_or_bytes(arguments)});
    taken_(block, "type");  // The value stays: its exact bytes differ from the call's.
    return true;
  }

  /// Adds the result of a call that the provider executed. The call's block contains it.
  void add_hosted_result(const json::Value& block, const std::string& id) {
    const json::Value result = block.find("result");
    if (says_nothing(result)) return;
    finish_run();
    Turn& turn = made_.start(Type::tool);
    turn.fields.call_id = id;
    turn.text = text_or_bytes(taken_(result));
  }

  /// Attaches a picture as written by Anthropic.
  bool add_source(const json::Value& block, Turn& turn) {
    const json::Value source = block.find("source");
    return attach_picture(source.find("media_type"), source.find("data"), turn, taken_);
  }

  void add_picture(const json::Value& block, Turn& turn) {
    if (add_source(block, turn)) return;
    for (const std::string_view key : {"image_url", "image"}) {
      const json::Value image = block.find(key);
      attach_picture(image.is_object() ? image.find("url") : image, turn, taken_);
    }
  }

  // --- Calls and results ----------------------------------------------------

  void add_named_call(const json::Value& function, std::string id) {
    std::string name = taken_.text(function, "name");
    std::string arguments = text_or_bytes(taken_(function, "arguments"));
    add_tool_call(run(), {std::move(id), std::move(name), std::move(arguments)});
  }

  void add_calls() {
    for (const json::Value& call : message_.find("tool_calls").elements()) add_call(call);
    if (const json::Value call = message_.find("function_call"); call.is_object()) {
      add_named_call(call, {});
    }
  }

  void add_call(const json::Value& call) {
    std::string id = taken_.word(call, "id");
    if (call.find("type").equals("function")) taken_(call, "type");
    const json::Value function = call.find("function");
    if (function.is_object()) return add_named_call(function, std::move(id));
    if (const json::Value custom = call.find("custom"); custom.is_object()) {
      std::string input = text_or_bytes(taken_(custom, "input"));
      return add_tool_call(run(), {std::move(id), taken_.text(custom, "name"), std::move(input)});
    }
    std::string name = function ? taken_.text(function) : taken_.text(call, "name");
    add_tool_call(run(),
                  {std::move(id), std::move(name), text_or_bytes(taken_(call, "arguments"))});
  }

  void add_result_message() {
    Turn& turn = made_.start_result(message_, "tool_call_id");
    for (const json::Value& id : message_.find("tool_call_ids").elements()) {
      if (turn.fields.call_id.empty()) turn.fields.call_id = taken_.word(id);
    }
    turn.fields.name = taken_.text(message_, "name");
    turn.text = take_result(message_.find("content"), turn, taken_);
    const json::Value error = message_.find("error");
    turn.fields.is_error = (error && !says_nothing(error)) || message_.find("is_error").is_true();
  }

  void add_result_block(const json::Value& block) {
    finish_run();
    Turn& turn = made_.start(Type::tool);
    taken_(block, "type");
    turn.fields.call_id = taken_.word(block, "tool_use_id");
    turn.fields.is_error = taken_.flag(block, "is_error");
    turn.fields.name = taken_.text(block, "name");
    const json::Value content = block.find("content");
    for (const json::Value& part : content.elements()) add_source(part, turn);
    turn.text = turn.attach.empty() ? take_result(content, turn, taken_)
                                    : take_content(content, turn, taken_);
  }

  json::Value message_;
  const ChatStyle& style_;
  TurnRecord& made_;
  Taken& taken_;
  Type type_;
  std::vector<json::Value> items_;  // Blocks of the open run.
  std::string tagged_;              // The original text if thoughts were taken from it.
  bool in_run_ = false;
  bool has_run_ = false;
  bool has_blocks_;  // The Messages API's, which are items.
};

// Returns true for a block of the Messages API. Pictures of other APIs have no source.
bool is_anthropic_block(const json::Value& block) {
  const std::string type = block.find("type").text();
  if (type == "image" || type == "document") return block.find("source").is_object();
  return is_one_of(type, "tool_use tool_result thinking redacted_thinking");
}

bool has_anthropic_block(const json::Value& message) {
  for (const json::Value& block : message.find("content").elements()) {
    if (is_anthropic_block(block)) return true;
  }
  return false;
}

}  // namespace

Type type_of_role(std::string_view role) {
  if (compile::is_instruction_role(role)) return Type::system;
  if (role == "assistant" || role == "model" || role == "ai") return Type::assistant;
  if (role == "tool" || role == "function") return Type::tool;
  return Type::user;
}

bool is_anthropic_message(const json::Value& message) {
  if (!message.find("type").equals("message") || !message.find("role").equals("assistant")) {
    return false;
  }
  return message.find("stop_reason") || has_anthropic_block(message);
}

bool has_anthropic_blocks(const json::Value& messages) {
  for (const json::Value& message : messages.elements()) {
    if (has_anthropic_block(message)) return true;
  }
  return false;
}

bool is_chat_message(const json::Value& message) {
  if (!message.find("role").is_string()) return false;
  return message.find("content") || message.find("tool_calls").is_array();
}

bool take_tagged_thoughts(std::string& text, TurnRecord& made) {
  llm::wire::ThinkSplit split = llm::wire::split_think_tags(text);
  if (!split.has_tags) return false;
  if (!split.blocks.empty()) {
    Turn& turn = made.start(Type::reasoning);
    turn.fields.format = "think_tags";
    for (const std::string& block : split.blocks) {
      turn.text += turn.text.empty() ? block : "\n\n" + block;
    }
  }
  text = std::move(split.answer);
  return true;
}

void add_chat_turns(const json::Value& message, const ChatStyle& style, TurnRecord& made) {
  ChatReader(message, style, made).read();
  made.made_fact_text(fact::provider, style.provider);
}

void add_chat_content(const json::Value& content, Type type, TurnRecord& made) {
  const ChatStyle style;
  ChatReader(type, style, made).read_content(content);
}

// --- Calls and results without a message --------------------------------------

namespace {

json::Value call_name_of(const json::Value& call) {
  const json::Value function = call.find("function");
  return function.is_object() ? function.find("name") : call.find("name");
}

bool is_lone_call(const json::Value& value) {
  const std::string type = value.find("type").text();
  return is_one_of(type, "function_call tool_call tool_use") && call_name_of(value).is_string();
}

bool is_lone_result(const json::Value& value) {
  const std::string type = value.find("type").text();
  return is_one_of(type, "function_result tool_result function_call_output") &&
         find_any(value, {"result", "output", "content"});
}

}  // namespace

bool is_lone_turn(const json::Value& value) { return is_lone_call(value) || is_lone_result(value); }

void add_lone_turn(const json::Value& value, TurnRecord& made) {
  Taken& taken = made.taken();
  if (is_lone_result(value)) {
    Turn& turn = made.start(Type::tool);
    for (const std::string_view key : {"call_id", "tool_call_id", "tool_use_id", "id"}) {
      if (turn.fields.call_id.empty()) turn.fields.call_id = taken.word(value, key);
    }
    turn.fields.name = taken.text(value, "name");
    turn.text = text_or_bytes(taken(find_any(value, {"result", "output", "content"})));
  } else {
    compile::ToolCall call;
    for (const std::string_view key : {"call_id", "id"}) {
      if (call.id.empty()) call.id = taken.word(value, key);
    }
    call.name = taken.text(call_name_of(value));
    for (const json::Value& object : {value.find("function"), value}) {
      for (const std::string_view key : {"arguments", "input"}) {
        if (call.arguments.empty()) call.arguments = text_or_bytes(taken(object, key));
      }
    }
    add_tool_call(made.start(Type::assistant), std::move(call));
  }
  taken(value, "type");
}

}  // namespace spoor::import
