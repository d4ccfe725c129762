#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llm/wire/json_text.h"

namespace spoor::llm::wire {

/// Collects the arguments of a Gemini call that arrive in pieces (`partialArgs`), each with the
/// JSONPath of its target: `$.city`, `$.stops[0].name`, `$['a b']`. A text may arrive in several
/// pieces. Pieces without such a path are ignored.
class GeminiPartialArgs {
 public:
  GeminiPartialArgs();
  ~GeminiPartialArgs();
  GeminiPartialArgs(GeminiPartialArgs&&) noexcept;
  GeminiPartialArgs& operator=(GeminiPartialArgs&&) noexcept;

  /// Adds an element of `partialArgs`.
  void add(const json::Value& piece);

  /// Returns the object so far; `{}` before the first piece.
  std::string write() const;

 private:
  struct Node;

  std::unique_ptr<Node> root_;
};

}  // namespace spoor::llm::wire
