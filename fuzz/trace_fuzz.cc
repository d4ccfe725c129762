// Any bytes as a trace: it is read without a crash, alike however it is cut (the first byte says
// how); every line is a fact, passed over or counted; and every way to show it ends.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "cuts.h"
#include "report/debrief/fold.h"
#include "report/debrief/trace_reader.h"
#include "report/debrief/views.h"

namespace {

using namespace spoor;
using namespace spoor::report::debrief;

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Debrief whole = debrief_of_trace(text, 4);

  DebriefFold fold(4);
  TraceReader reader([&fold](const Fact& fact) { fold.add(fact); });
  fuzz::cut(text, data[0], [&](std::string_view piece) { reader.feed(piece); });
  reader.finish();
  Debrief pieces = fold.finish();
  pieces.skipped = reader.skipped();

  require(classic_text(whole) == classic_text(pieces));
  require(tree_text(whole) == tree_text(pieces));
  require(to_markdown(whole) == to_markdown(pieces));
  const std::string as_json = to_json(whole);
  require(spoor::json::parse(as_json).has_value());
  require(whole.skipped == reader.skipped());
  require(whole.skipped <=
          1 + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
  require(whole.explained <= whole.calls && whole.returned <= whole.calls);
  require(whole.path.size() <= 4 && whole.path.total() >= whole.calls);
  return 0;
}
