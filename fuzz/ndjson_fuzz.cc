// Any bytes: the values are the same however the bytes are cut (the first byte says how), and a
// JSON value with white space around it comes out as it went in.

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "cuts.h"
#include "llm/wire/ndjson.h"

namespace {

using spoor::llm::wire::JsonValues;

struct Values {
  std::vector<std::string> all;
  bool is_cut = false;

  void operator()(std::string_view value, bool cut) {
    all.emplace_back(value);
    is_cut = cut;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);

  Values whole, pieces;
  JsonValues one, other;
  one.feed(bytes, std::ref(whole));
  one.finish(std::ref(whole));
  fuzz::cut(bytes, data[0], [&](std::string_view piece) { other.feed(piece, std::ref(pieces)); });
  other.finish(std::ref(pieces));
  if (whole.all != pieces.all || whole.is_cut != pieces.is_cut) std::abort();

  const auto document = spoor::json::parse(bytes);
  if (!document || document->root().is_array()) return 0;
  if (whole.all.size() != 1 || whole.all[0] != document->root().raw()) std::abort();
  return 0;
}
