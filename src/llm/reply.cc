#include "llm/reply.h"

#include <algorithm>
#include <array>

namespace spoor::llm {

std::string Reply::text() const {
  std::string text;
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::text) text += piece.text;
  }
  return text;
}

std::optional<std::string> Reply::reasoning() const {
  std::optional<std::string> reasoning;
  for (const Piece& piece : pieces) {
    if (piece.kind != Piece::Kind::reasoning || piece.text.empty()) continue;
    if (reasoning) {
      *reasoning += "\n\n" + piece.text;
    } else {
      reasoning = piece.text;
    }
  }
  return reasoning;
}

std::vector<compile::ToolCall> Reply::calls() const {
  std::vector<compile::ToolCall> calls;
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::call) calls.push_back(piece.call);
  }
  return calls;
}

bool was_cut_short(std::string_view finish_reason) {
  constexpr std::array<std::string_view, 6> kWords = {
      "length",     "max_tokens",        "MAX_TOKENS",
      "incomplete", "max_output_tokens", "model_context_window_exceeded"};
  return std::find(kWords.begin(), kWords.end(), finish_reason) != kWords.end();
}

}  // namespace spoor::llm
