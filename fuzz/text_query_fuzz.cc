// Any bytes as a query for words: what is understood, SQLite understands too, and nothing in it is
// taken for SQLite's own syntax; what is not says why.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/when.h"
#include "graph/text_query.h"
#include "store/sqlite/word_finder.h"

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Code = spoor::Error::Code;
  static const auto finder = spoor::store::WordFinder::make().value();
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const auto query = spoor::graph::parse_text_query(text);
  if (query) {
    require(!query->expression.empty());
    if (size < 2'000) require(finder->find(query->expression, text).has_value());
  } else {
    require(query.error().code == Code::invalid && !query.error().hint.empty());
  }

  // The other thing that people write into a search.
  const auto when = spoor::parse_when(text, spoor::Timestamp{5'000'000});
  if (when) require(spoor::parse_when(when->text(), {}).value() == *when);
  if (!when) require(when.error().code == Code::invalid && !when.error().message.empty());
  return 0;
}
