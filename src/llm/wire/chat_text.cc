#include "llm/wire/chat_text.h"

#include <utility>

#include "base/find_text.h"

namespace spoor::llm::wire {
namespace {

ThinkFilter::Sink sink_for(const Listener& listener) {
  return {[&](std::string_view text) { listener.text(text); },
          [&](std::string_view text) { listener.reasoning(text); }};
}

}  // namespace

void TaggedText::append(const json::Value& piece, const Listener& listener) {
  text_.append(piece);
  filter_.feed(piece.text(), sink_for(listener));
}

void TaggedText::finish(const Listener& listener) { filter_.finish(sink_for(listener)); }

ThinkSplit TaggedText::split(bool has_other_reasoning) const {
  return split_think_tags(text_.text(), has_other_reasoning ? LoneEnd::drop : LoneEnd::thought);
}

void add_blocks(std::vector<Piece>& reasoning, const std::vector<std::string>& blocks) {
  std::string known;
  for (const Piece& piece : reasoning) known += piece.text + "\n\n";
  for (const std::string& block : blocks) {
    if (holds_text(known, block)) continue;
    Piece piece;
    piece.kind = Piece::Kind::reasoning;
    piece.text = block;
    reasoning.push_back(std::move(piece));
  }
}

}  // namespace spoor::llm::wire
