#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/wire/json_text.h"
#include "llm/wire/message_reader.h"
#include "llm/wire/think_tags.h"

namespace spoor::llm::wire {

/// The text of a chat message and the reasoning that may stand in it as `<think>` blocks. The
/// blocks are always taken out. Their text is the reasoning if none came by another way; if one
/// did, a block that it holds already is dropped, and any other is put behind it.
class TaggedText {
 public:
  void append(const json::Value& piece, const Listener& listener);

  bool empty() const { return text_.empty(); }

  /// Told what was held back. No more pieces then.
  void finish(const Listener& listener);

  /// The answer alone.
  ThinkSplit split(bool has_other_reasoning) const;

 private:
  JsonText text_;
  ThinkFilter filter_;
};

/// Adds the blocks of an answer to the reasoning that came by another way: see TaggedText.
void add_blocks(std::vector<Piece>& reasoning, const std::vector<std::string>& blocks);

}  // namespace spoor::llm::wire
