#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool.h"
#include "base/json/reader.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// The arguments that a model gave to a tool. They were checked against the tool's schema; any
/// remaining mismatch is Code::invalid. A null member counts as missing.
class Arguments {
 public:
  /// `json` must outlive the result; an empty one is `{}`.
  static Result<Arguments> parse(std::string_view json);

  Result<std::string> text(std::string_view key) const;
  Result<std::string> text_or(std::string_view key, std::string_view fallback) const;
  Result<std::vector<std::string>> texts(std::string_view key) const;
  /// As texts(), for a command: Code::invalid if it names no program or contains a NUL byte.
  Result<std::vector<std::string>> command(std::string_view key) const;
  Result<bool> flag(std::string_view key) const;  ///< false if missing

  /// Returns a number from `least` to `most`.
  Result<double> number_or(std::string_view key, double fallback, double least, double most) const;
  /// As number_or(), for a whole number.
  Result<std::int64_t> whole_or(std::string_view key, std::int64_t fallback, std::int64_t least,
                                std::int64_t most) const;

 private:
  json::Value find(std::string_view key) const;

  json::Document document_;
};

/// Turns an error into a failed result for the model: message, then hint.
ToolResult as_result(Result<ToolResult> result);

}  // namespace spoor::agent::builtin
