#include "agent/reading/rationale_blocks.h"

#include "tests/vectors_runner/rationale_kind.h"

namespace spoor::vectors {
namespace {

std::vector<std::string> play_blocks(const Json& input, const Json& expect) {
  const auto got =
      agent::reading::read_rationale_blocks(text_at(input, "text"), text_at(input, "thinking"));
  Json blocks = Json::object();
  for (const auto& [number, block] : got.blocks) {
    blocks[std::to_string(number)] = json_of(block.rationale);
  }
  std::vector<std::string> problems;
  compare(problems, "blocks", expect["blocks"], blocks);
  compare(problems, "stripped", expect["stripped"], got.stripped);
  for (const auto& [key, list] :
       {std::pair("unmatched", Json(got.unmatched)), std::pair("repeated", Json(got.repeated))}) {
    if (expect.contains(key)) compare(problems, key, expect[key], list);
  }
  return problems;
}

}  // namespace

const RationaleKind kBlocksKind{
    "blocks",   {"text"}, {"thinking"}, {"blocks", "stripped"}, {"unmatched", "repeated"},
    play_blocks};

}  // namespace spoor::vectors
