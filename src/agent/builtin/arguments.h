#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool.h"
#include "base/json/reader.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// What a model gave to a tool. It was checked against the tool's schema before; yet whatever it
/// is, here are errors (Code::invalid) and no surprises. A member that is null is none.
class Arguments {
 public:
  /// `json` must outlive it; an empty one is `{}`.
  static Result<Arguments> parse(std::string_view json);

  Result<std::string> text(std::string_view key) const;
  Result<std::string> text_or(std::string_view key, std::string_view fallback) const;
  Result<std::vector<std::string>> texts(std::string_view key) const;
  Result<bool> flag(std::string_view key) const;  ///< false where there is none

  /// A number from `least` to `most`.
  Result<double> number_or(std::string_view key, double fallback, double least, double most) const;
  /// The same, whole.
  Result<std::int64_t> whole_or(std::string_view key, std::int64_t fallback, std::int64_t least,
                                std::int64_t most) const;

 private:
  json::Value find(std::string_view key) const;

  json::Document document_;
};

/// An error as what the model is shown: message, then hint.
ToolResult as_result(Result<ToolResult> result);

}  // namespace spoor::agent::builtin
