#pragma once

#include <string>
#include <string_view>

#include "agent/reading/call_objects.h"
#include "base/json/writer.h"

namespace spoor::agent::reading {

constexpr int kDialectTier = 4;

/// Collects the arguments of a call in a form of dialects.h. An argument `rationale` becomes the
/// call's rationale.
class DialectArguments {
 public:
  /// `tools` must outlive it.
  DialectArguments(std::string name, const OfferedTools& tools);

  void add(std::string_view key, const json::Value& value);
  void add_members(const json::Value& object);

  /// Adds JSON text; ignores any other.
  void add_json(std::string_view key, const std::string& text);

  /// Adds a value that is written between tags: a text if `is_text` or if the schema says so, else
  /// the JSON value or Python literal that it contains, else a text. vLLM's qwen3_coder and
  /// minimax_m2 parsers go by the schema's type, and so does glm45, which otherwise takes the value
  /// of json.loads, of ast.literal_eval, or the text. As qwen3_coder does, this drops one line end
  /// on each side.
  void add_between_tags(std::string_view key, std::string_view text, bool is_text = false);

  TextCall finish() &&;

 private:
  const OfferedTools& tools_;
  TextCall call_;
  json::Object object_;
};

}  // namespace spoor::agent::reading
