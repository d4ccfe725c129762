#include "llm/item_shape.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json/writer.h"

namespace spoor::llm {
namespace {

using compile::Turn;
using compile::Type;

bool is_image(const compile::Item& item) { return item.media_type.starts_with("image/"); }

/// Builds items from a turn, and tracks the used parts.
class Maker {
 public:
  explicit Maker(const Turn& turn) : turn_(&turn) {}

  /// Returns nullopt if the turn has no unused part for this letter.
  std::optional<std::string> make(char letter) {
    switch (letter) {
      case 's':
        return text_once("", "");
      case 't':
        return text_once(R"({"type":"text","text":)", "}");
      case 'i':
        return image();
      case 'u':
        return call("}");
      case 'd':
        return call(R"(,"caller":{"type":"direct"}})");
      default:
        return std::nullopt;
    }
  }

  std::optional<std::string> make_result(char letter, const std::string& content) const {
    const std::string id = json::write_string(turn_->fields.call_id);
    const std::string head =
        fmt::format(R"({{"tool_use_id":{},"type":"tool_result","content":{})", id, content);
    const bool error = turn_->fields.is_error;
    if (letter == 'r' && !error) return head + "}";
    if (letter == 'f' && !error) return head + R"(,"is_error":false})";
    if (letter == 'g' && error) return head + R"(,"is_error":true})";
    if (letter == 'e' && error) {
      return fmt::format(
          R"({{"type":"tool_result","content":{},"is_error":true,"tool_use_id":{}}})", content, id);
    }
    return std::nullopt;
  }

  /// True if every part of the turn was used.
  bool finished() {
    skip_to_image();
    const bool calls_done = !turn_->fields.tool_calls || call_ == turn_->fields.tool_calls->size();
    return (text_used_ || turn_->text.empty()) && calls_done && image_ == turn_->attach.size();
  }

 private:
  std::optional<std::string> text_once(std::string_view before, std::string_view after) {
    if (text_used_) return std::nullopt;
    text_used_ = true;
    std::string out(before);
    json::append_string(out, turn_->text);
    return out += after;
  }

  std::optional<std::string> call(std::string_view end) {
    if (!turn_->fields.tool_calls || call_ == turn_->fields.tool_calls->size()) return std::nullopt;
    const compile::ToolCall& next = (*turn_->fields.tool_calls)[call_++];
    return fmt::format(R"({{"type":"tool_use","id":{},"name":{},"input":{}{})",
                       json::write_string(next.id), json::write_string(next.name), next.arguments,
                       end);
  }

  void skip_to_image() {
    while (image_ < turn_->attach.size() && !is_image(turn_->attach[image_])) ++image_;
  }

  std::optional<std::string> image() {
    skip_to_image();
    if (image_ == turn_->attach.size()) return std::nullopt;
    const compile::Item& next = turn_->attach[image_++];
    return fmt::format(
        R"({{"type":"image","source":{{"type":"base64","media_type":{},"data":"{}"}}}})",
        json::write_string(next.media_type), encode_base64(next.bytes));
  }

  const Turn* turn_;
  bool text_used_ = false;
  std::size_t call_ = 0;
  std::size_t image_ = 0;
};

/// Returns the letters that can build an item of this type.
std::string_view letters_for(const json::Value& item) {
  if (item.is_string()) return "s";
  const std::string type = item.find("type").text();
  if (type == "text") return "t";
  if (type == "image") return "i";
  if (type == "tool_use") return "ud";
  return "";
}

/// Returns one letter per item; each must rebuild the item's exact bytes.
std::optional<std::string> letters_of(const std::vector<json::Value>& items, Maker& maker) {
  std::string shape;
  for (const json::Value& item : items) {
    bool found = false;
    for (const char letter : letters_for(item)) {
      Maker attempt = maker;
      const auto made = attempt.make(letter);
      if (!made || *made != item.raw()) continue;
      maker = attempt;
      shape.push_back(letter);
      found = true;
      break;
    }
    if (!found) return std::nullopt;
  }
  return shape;
}

std::vector<json::Value> elements_of(const json::Value& array) {
  std::vector<json::Value> all;
  for (const json::Value& element : array.elements()) all.push_back(element);
  return all;
}

std::optional<std::string> result_shape(const json::Value& item, const Turn& turn) {
  const json::Value content = item.find("content");
  Maker maker(turn);
  std::string inner;
  if (content.is_array()) {
    const auto letters = letters_of(elements_of(content), maker);
    if (!letters) return std::nullopt;
    inner = "[" + *letters + "]";
  } else if (!content.is_string() || maker.make('s') != content.raw()) {
    return std::nullopt;
  }
  if (!maker.finished()) return std::nullopt;
  for (const char letter : std::string_view("rfge")) {
    const auto made = maker.make_result(letter, std::string(content.raw()));
    if (made && *made == item.raw()) return letter + inner;
  }
  return std::nullopt;
}

Result<std::vector<std::string>> make_all(std::string_view letters, Maker& maker) {
  std::vector<std::string> items;
  for (const char letter : letters) {
    auto made = maker.make(letter);
    if (!made) return corrupt(fmt::format("the shape '{}' does not fit its turn", letters));
    items.push_back(std::move(*made));
  }
  return items;
}

/// Returns true if the importer omitted the items of such a turn.
bool has_default_shape(const Turn& turn) {
  const std::string source = turn.facts.get(fact::source);
  return source == "claude-code" ||
         (source == "anthropic-messages" && turn.type == Type::assistant);
}

/// Returns `[a,b]` of JSON items, with their bytes unchanged.
std::string array_of(const std::vector<std::string>& items) { return json::write_array(items); }

Result<std::vector<std::string>> make_result_item(std::string_view shape, const Turn& turn) {
  Maker maker(turn);
  std::string content;
  if (shape.size() > 1) {
    if (shape[1] != '[' || shape.back() != ']') {
      return corrupt(fmt::format("'{}' is not a shape", shape));
    }
    content = array_of(TRY(make_all(shape.substr(2, shape.size() - 3), maker)));
  } else {
    content = TRY(make_all("s", maker)).front();
  }
  auto made = maker.make_result(shape[0], content);
  if (!made) return corrupt(fmt::format("the shape '{}' does not fit its turn", shape));
  return std::vector<std::string>{std::move(*made)};
}

}  // namespace

std::string default_shape(const Turn& turn) {
  switch (turn.type) {
    case Type::user:
    case Type::summary:
      return "s";
    case Type::tool:
      return turn.fields.is_error ? "e" : "r";
    case Type::assistant: {
      const std::size_t calls = turn.fields.tool_calls ? turn.fields.tool_calls->size() : 0;
      return (turn.text.empty() && calls > 0 ? "" : "t") + std::string(calls, 'u');
    }
    default:
      return "";
  }
}

std::optional<std::string> find_shape(const std::vector<json::Value>& items, const Turn& turn) {
  if (turn.type == Type::reasoning || items.empty()) return std::nullopt;
  if (turn.type == Type::tool) {
    if (items.size() != 1) return std::nullopt;
    return result_shape(items.front(), turn);
  }
  Maker maker(turn);
  auto shape = letters_of(items, maker);
  if (!shape || !maker.finished()) return std::nullopt;
  return shape;
}

Result<std::vector<std::string>> provider_items(const Turn& turn) {
  if (!turn.raw.empty()) {
    std::vector<std::string> items;
    for (const compile::Item& item : turn.raw) items.push_back(item.bytes);
    return items;
  }
  std::string shape = turn.facts.get(fact::shape);
  if (shape.empty() && has_default_shape(turn)) shape = default_shape(turn);
  if (shape.empty() || shape == "n") return std::vector<std::string>();
  if (turn.type == Type::tool) return make_result_item(shape, turn);
  Maker maker(turn);
  return make_all(shape, maker);
}

}  // namespace spoor::llm
