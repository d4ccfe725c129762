#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/wire/json_text.h"
#include "llm/wire/message_reader.h"
#include "llm/wire/think_tags.h"

namespace spoor::llm::wire {

/// Separates the text of a chat message from reasoning in `<think>` blocks. The blocks are always
/// removed from the answer. They are the reasoning if none was received separately. Otherwise a
/// block that the separate reasoning contains is dropped, and any other is appended to it.
class TaggedText {
 public:
  void append(const json::Value& piece, const Listener& listener);

  bool empty() const { return text_.empty(); }

  /// Reports the text that was held back. Add no pieces afterwards.
  void finish(const Listener& listener);

  /// Returns the answer and its blocks.
  ThinkSplit split(bool has_other_reasoning) const;

 private:
  JsonText text_;
  ThinkFilter filter_;
};

/// Adds an answer's blocks to the reasoning that was received separately: see TaggedText.
void add_blocks(std::vector<Piece>& reasoning, const std::vector<std::string>& blocks);

}  // namespace spoor::llm::wire
