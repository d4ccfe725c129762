#include "agent/mcp/result.h"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "agent/builtin/kept_output.h"
#include "agent/numbers.h"
#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "compile/turn.h"

namespace spoor::agent::mcp {
namespace {

// `image/png`, if it is one; else a word for anything.
std::string media_type_of(const json::Value& type) {
  const std::string text = type.text();
  const bool is_sound = text.size() <= 100 && text.find('/') != std::string::npos &&
                        text.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789/+-._") == std::string::npos;
  return is_sound ? text : "application/octet-stream";
}

class Reading {
 public:
  explicit Reading(const ResultLimits& limits) : limits_(limits) {}

  ToolResult read(const json::Value& root) {
    for (const json::Value block : root.find("content").elements()) add(block);
    const json::Value structured = root.find("structuredContent");
    if (structured && !has_text_) add_line(structured.raw());
    result_.is_error = root.find("isError").is_true();
    if (result_.text.empty()) result_.text = "[the tool gave nothing]";
    if (structured && !result_.is_error && result_.attach.empty()) {
      const auto text = json::canonical(result_.text);
      const auto value = json::canonical(structured.raw());
      result_.is_json = text && value && *text == *value;
    }
    cut();
    return std::move(result_);
  }

 private:
  void add_line(std::string_view text) {
    if (!result_.text.empty() && !result_.text.ends_with('\n')) result_.text += '\n';
    result_.text += text;
  }

  void add(const json::Value& block) {
    const json::Value type = block.find("type");
    if (type.equals("text")) {
      has_text_ = true;
      add_line(block.find("text").text());
    } else if (type.equals("image") || type.equals("audio")) {
      attach(type.text(), block.find("data"), block.find("mimeType"));
    } else if (type.equals("resource_link")) {
      const std::string description = block.find("description").text();
      add_line(fmt::format("[{} at {}{}{}]", block.find("name").text(), block.find("uri").text(),
                           description.empty() ? "" : ": ", description));
    } else if (type.equals("resource")) {
      add_resource(block.find("resource"));
    } else {
      add_line(
          fmt::format("[something of the type '{}', left out]", compile::preview(type.text(), 40)));
    }
  }

  void add_resource(const json::Value& resource) {
    const std::string uri = resource.find("uri").text();
    if (const json::Value blob = resource.find("blob")) {
      return attach("resource " + compile::preview(uri, 200), blob, resource.find("mimeType"));
    }
    has_text_ = true;
    add_line(fmt::format("[{}]\n{}", uri, resource.find("text").text()));
  }

  void attach(const std::string& what, const json::Value& data, const json::Value& type) {
    auto bytes = decode_base64(data.text());
    if (!bytes) return add_line(fmt::format("[{}: cannot be read]", what));
    const std::string media_type = media_type_of(type);
    const bool fits =
        bytes->size() <= limits_.attached && result_.attach.size() < limits_.attachments;
    add_line(fmt::format("[{}: {}, {} bytes, {}]", what, media_type, grouped(bytes->size()),
                         fits ? "attached" : "left out"));
    if (fits) result_.attach.push_back({std::move(*bytes), media_type});
  }

  void cut() {
    if (result_.text.size() <= limits_.text) return;
    builtin::KeptOutput kept(limits_.attached);
    kept.add(result_.text);
    result_.facts.set(fact::output_bytes, static_cast<std::int64_t>(result_.text.size()));
    result_.attach.push_back({kept.text(limits_.attached), "text/plain"});
    result_.text = kept.text(limits_.text);
    result_.is_json = false;
  }

  const ResultLimits& limits_;
  ToolResult result_;
  bool has_text_ = false;
};

}  // namespace

ToolResult read_result(std::string_view json, const ResultLimits& limits) {
  const auto document = json::parse(json);
  if (!document) return failed("the server's result cannot be read: " + document.error().message);
  return Reading(limits).read(document->root());
}

}  // namespace spoor::agent::mcp
