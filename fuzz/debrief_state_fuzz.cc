// Any bytes as the kept state of a debrief, under a hash that fits: what is taken for one is packed
// and read again as the same, and can be gone on from and shown.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/debrief/graph_state.h"
#include "agent/debrief/json.h"
#include "agent/debrief/tree_text.h"
#include "compile/json/reader.h"

namespace {

using namespace spoor::agent::debrief;

constexpr std::size_t kMost = 4;

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto state = unpack(seal(body), kMost);
  if (!state) return 0;
  const std::string packed = pack(*state);
  require(packed.size() <= seal(body).size());
  require(pack(unpack(packed, kMost).value()) == packed);

  Fold fold(kMost);
  fold.go_on_from(state->fold);
  fold.add({.step = 1, .what = CallChosen{.number = 1, .tool = "list", .rationale = {}}});
  fold.add({.step = 1, .what = CallReturned{.number = 1}});
  const Debrief debrief = fold.finish();
  require(debrief.path.size() <= kMost && debrief.path.total() > 0);
  const std::string as_json = to_json(debrief);
  require(spoor::compile::json::parse(as_json).has_value());
  require(!tree_text(debrief).empty());
  return 0;
}
