#include "import/content.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "import/names.h"
#include "store/commit.h"

namespace spoor::import {

using compile::Turn;

json::Value find_any(const json::Value& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const json::Value value = object.find(key)) return value;
  }
  return {};
}

json::Value find_text(const json::Value& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const json::Value value = object.find(key); value.is_string()) return value;
  }
  return {};
}

std::optional<compile::Item> picture_in(std::string_view data_url) {
  constexpr std::string_view kScheme = "data:";
  constexpr std::string_view kBase64 = ";base64,";
  if (!data_url.starts_with(kScheme)) return std::nullopt;
  data_url.remove_prefix(kScheme.size());
  const std::size_t end = data_url.find(kBase64);
  if (end == std::string_view::npos) return std::nullopt;
  return picture_of(data_url.substr(0, end), data_url.substr(end + kBase64.size()));
}

std::optional<compile::Item> picture_of(std::string_view media_type, std::string_view base64) {
  if (!media_type.starts_with("image/") || !store::is_media_type(media_type)) return std::nullopt;
  auto bytes = decode_base64(base64);
  if (!bytes) return std::nullopt;
  return compile::Item{std::move(*bytes), std::string(media_type)};
}

namespace {

// These types add nothing to the block's text.
bool is_text_type(std::string_view type) {
  return type.empty() || is_one_of(type, "text input_text output_text summary_text reasoning_text");
}

}  // namespace

void take_text_type(const json::Value& block, Taken& taken) {
  if (is_text_type(block.find("type").text())) taken.text(block, "type");
}

json::Value text_of(const json::Value& part) {
  const json::Value text = part.find("text");
  if (text.is_string() || !is_text_type(part.find("type").text())) {
    return text.is_string() ? text : json::Value();
  }
  const json::Value value = part.find("value");  // As in some data sets.
  return value.is_string() ? value : json::Value();
}

std::string take_result(const json::Value& content, Turn& turn, Taken& taken) {
  const std::size_t attached = turn.attach.size();
  std::string text = take_content(content, turn, taken);
  if (!content.is_array() || content.size() == 0 || turn.attach.size() > attached) return text;
  for (const json::Value& part : content.elements()) {
    if (part.is_string() || text_of(part)) return text;
  }
  return std::string(taken(content).raw());
}

bool attach_picture(const json::Value& data_url, Turn& turn, Taken& taken) {
  auto picture = picture_in(data_url.text());
  if (!picture) return false;
  turn.attach.push_back(std::move(*picture));
  taken(data_url);
  return true;
}

bool attach_picture(const json::Value& media_type, const json::Value& base64, Turn& turn,
                    Taken& taken) {
  auto picture = picture_of(media_type.text(), base64.text());
  if (!picture) return false;
  turn.attach.push_back(std::move(*picture));
  taken(base64);
  return true;
}

std::string take_content(const json::Value& content, Turn& turn, Taken& taken) {
  if (content.is_string()) return taken.text(content);
  if (!content.is_array()) return says_nothing(content) ? "" : std::string(taken(content).raw());
  std::string text;
  for (const json::Value& part : content.elements()) {
    if (part.is_string()) {
      text += taken.text(part);
      continue;
    }
    if (const json::Value said = text_of(part)) {
      text += taken.text(said);
      take_text_type(part, taken);
    }
    attach_picture(part.find("mimeType"), part.find("data"), turn, taken);
    const json::Value image = part.find("image_url");
    attach_picture(image.is_object() ? image.find("url") : image, turn, taken);
  }
  return text;
}

Turn& say(compile::Type type, const json::Value& content, TurnRecord& made) {
  Turn& turn = made.start(type);
  turn.text = take_content(content, turn, made.taken());
  return turn;
}

void set_thinking_item(const json::Value& text, const json::Value& signature, Turn& turn,
                       Taken& taken) {
  turn.fields.format = "anthropic";
  turn.raw.push_back(
      {fmt::format(R"({{"type":"thinking","thinking":{},"signature":{}}})",
                   text.is_string() ? text.raw() : R"("")", taken(signature).raw())});
}

void set_redacted_item(const json::Value& data, Turn& turn, Taken& taken) {
  turn.fields.format = "anthropic";
  turn.raw.push_back(
      {fmt::format(R"({{"type":"redacted_thinking","data":{}}})", taken(data).raw())});
}

}  // namespace spoor::import
