// Any reply: each call has a name, arguments that are one canonical object, and the tier of the
// others; what a planner takes as the answer is one of the JSON values of the reply.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/reading/json_values.h"
#include "agent/reading/text_calls.h"
#include "base/json/writer.h"
#include "llm/json_values.h"

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spoor;
  using namespace spoor::agent::reading;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const TextCalls got = read_text_calls(text);
  for (const TextCall& call : got.calls) {
    require(!call.name.empty());
    require(call.tier == got.calls[0].tier && call.tier >= 1 && call.tier <= 3);
    require(spoor::json::is_canonical_object(call.arguments));
    require(!call.rationale || !call.rationale->why.empty());
  }

  const auto values = spoor::llm::json_values(text);
  for (const std::string_view value : values) {
    require(value.data() >= text.data() && value.data() + value.size() <= text.data() + size);
  }
  if (const auto payload = payload_of(text, "action")) {
    require(static_cast<bool>(payload->root().find("action")));
    require(std::ranges::find(values, payload->json()) != values.end());
  }
  return 0;
}
