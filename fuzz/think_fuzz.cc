// Any text: what is taken out and what is left was in it; a text without tags stays as it is; the
// filter for display tells the same however the text is cut (the first byte says how), and says
// no more than the text does.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cuts.h"
#include "llm/wire/think_tags.h"

namespace {

using spoor::llm::wire::LoneEnd;
using spoor::llm::wire::split_think_tags;
using spoor::llm::wire::ThinkFilter;
using spoor::llm::wire::ThinkSplit;

void require(bool claim) {
  if (!claim) std::abort();
}

void check(std::string_view text, const ThinkSplit& split) {
  std::size_t size = split.answer.size();
  for (const std::string& block : split.blocks) {
    require(!block.empty());
    // Before an end without a begin there may be another one within code.
    const bool is_front =
        text.substr(0, text.find(block)).find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
    require(is_front || block.find("</think>") == std::string::npos);
    require(text.find(block) != std::string_view::npos);
    size += block.size();
  }
  require(size <= text.size());
  if (!split.has_tags) require(split.answer == text && split.blocks.empty());
}

struct Told {
  std::string text, reasoning;

  ThinkFilter::Sink sink() {
    return {[this](std::string_view more) { text += more; },
            [this](std::string_view more) { reasoning += more; }};
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check(text, split_think_tags(text));
  check(text, split_think_tags(text, LoneEnd::drop));

  Told whole, pieces;
  ThinkFilter one, other;
  one.feed(text, whole.sink());
  one.finish(whole.sink());
  fuzz::cut(text, data[0], [&](std::string_view piece) { other.feed(piece, pieces.sink()); });
  other.finish(pieces.sink());
  require(whole.text == pieces.text && whole.reasoning == pieces.reasoning);
  require(whole.text.size() + whole.reasoning.size() <= text.size());
  return 0;
}
