#include "llm/reply.h"

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

}  // namespace spoor::llm
