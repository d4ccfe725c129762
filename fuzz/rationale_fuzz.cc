// Any text, split into an answer and a thinking at its first NUL: what is stripped has nothing to
// strip, numbers are from 1 on and each is told once, rationales are such as the strict reader
// takes, and what is assumed stands in the text.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/reading/assumptions.h"
#include "agent/reading/block_tags.h"
#include "agent/reading/rationale_blocks.h"
#include "base/json/reader.h"
#include "base/json/writer.h"

namespace {

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::agent::reading;

void require(bool claim) {
  if (!claim) std::abort();
}

void check(const Rationale& rationale) {
  const std::string json = write_rationale(rationale);
  require(spoor::json::is_canonical_object(json));
  const auto document = spoor::json::parse(json);
  require(document.has_value());
  const auto again = parse_rationale(document->root());
  require(again.has_value());
  require(write_rationale(*again) == json);
}

void check(const RationaleBlocks& got) {
  for (const auto& [number, block] : got.blocks) {
    require(number >= 1);
    check(block.rationale);
  }
  for (std::size_t i = 0; i < got.repeated.size(); ++i) {
    require(got.blocks.contains(got.repeated[i]));
    require(i == 0 || got.repeated[i - 1] < got.repeated[i]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view whole(reinterpret_cast<const char*>(data), size);
  const std::string_view text = whole.substr(0, whole.find('\0'));
  const std::string_view thinking = whole.substr(std::min(text.size() + 1, whole.size()));

  const RationaleBlocks got = read_rationale_blocks(text, thinking);
  check(got);
  require(got.rest.size() <= text.size());
  require(!find_tag(got.stripped, "rationale", 0));
  require(read_rationale_blocks(got.stripped).stripped == got.stripped);
  require(read_rationale_blocks(text).stripped == got.stripped);
  check(read_rationale_blocks(text, thinking, InObjects::text));

  const auto assumptions = read_assumptions(text);
  require(assumptions.size() <= kMaxAssumptions);
  for (const Assumption& one : assumptions) {
    require(!one.assumption.empty() && text.find(one.assumption) != std::string_view::npos);
    require(!one.why || (!one.why->empty() && text.find(*one.why) != std::string_view::npos));
  }
  return 0;
}
