// Any reply: each call is of an offered tool and has one canonical object of arguments; without
// tools there are no calls. A literal is canonical JSON and ends in the text.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/reading/dialects.h"
#include "agent/reading/literals.h"
#include "base/json/writer.h"

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spoor::agent::reading;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const OfferedTools tools{
      .has = [](std::string_view id) { return id == "ls" || id == "write"; },
      .takes_text = [](std::string_view, std::string_view key) { return key == "text"; }};
  for (const TextCall& call : read_dialect_calls(text, tools)) {
    require(tools.has(call.name));
    require(call.tier == 4);
    require(spoor::json::is_canonical_object(call.arguments));
  }
  require(read_dialect_calls(text, {}).empty());
  (void)has_dialect_marks(text);

  for (const Notation notation : {Notation::python, Notation::gemma}) {
    std::size_t at = 0;
    const auto literal = read_literal(text, at, notation);
    require(at <= size);
    if (literal) require(spoor::json::canonical(*literal).value() == *literal);
  }
  return 0;
}
