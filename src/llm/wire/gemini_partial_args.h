#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llm/wire/json_text.h"

namespace spoor::llm::wire {

/// The arguments of a Gemini call that come in pieces (`partialArgs`), each with the JSONPath of
/// what it belongs to: `$.city`, `$.stops[0].name`, `$['a b']`. A text may come in several pieces.
/// What has no such path is passed over.
class GeminiPartialArgs {
 public:
  GeminiPartialArgs();
  ~GeminiPartialArgs();
  GeminiPartialArgs(GeminiPartialArgs&&) noexcept;
  GeminiPartialArgs& operator=(GeminiPartialArgs&&) noexcept;

  /// An element of `partialArgs`.
  void add(const json::Value& piece);

  /// The object so far; `{}` before the first piece.
  std::string write() const;

 private:
  struct Node;

  std::unique_ptr<Node> root_;
};

}  // namespace spoor::llm::wire
