#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/rationale.h"
#include "base/json/reader.h"

namespace spoor::agent::reading {

/// A call that a model wrote as text.
struct TextCall {
  std::string name;
  std::string arguments;  ///< a canonical JSON object
  /// Its form: 1 in `<tool_call>` tags, 3 in a JSON array, 2 as a JSON object, 4 in a form of the
  /// model's own family (dialects.h).
  int tier = 0;
  std::optional<Rationale> rationale;  ///< its own, else that of the block with its number
  std::vector<std::string> dropped;    ///< the parts that clean_rationale() dropped of it

  bool operator==(const TextCall&) const = default;
};

/// The tools that a model may call. Both functions may be empty: no tool, no known type.
struct OfferedTools {
  std::function<bool(std::string_view id)> has;
  /// Returns true if the tool's schema says that this parameter is a text.
  std::function<bool(std::string_view id, std::string_view parameter)> takes_text;
};

/// The name of the argument or member that has a call's own rationale.
constexpr std::string_view kRationaleKey = "rationale";

void set_rationale(TextCall& call, CleanRationale clean);
void set_rationale(TextCall& call, const json::Value& written);

/// Returns true if `value` is an object with a name: one of the texts `tool`, `tool_name`, `name`.
bool is_call(const json::Value& value);

/// Reads a call object, as described at read_text_calls(). `object` must be one (is_call).
TextCall call_of(const json::Value& object, int tier);

}  // namespace spoor::agent::reading
