#include "agent/planners/reasons.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "agent/reading/assumptions.h"
#include "agent/reading/rationale_blocks.h"
#include "agent/registry.h"

namespace spoor::agent::planners {
namespace {

constexpr std::string_view kObservation = "obs:";
constexpr std::size_t kMinDigits = 8;

std::optional<std::uint64_t> number_of(std::string_view digits) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

Decision decision_of_call(std::string_view word, std::string text, std::int64_t number,
                          const std::string& tool) {
  Decision decision{.word = std::string(word), .text = std::move(text), .facts = {}, .about = {}};
  if (number > 0) decision.facts.set(fact::call, number);
  if (!tool.empty() && is_tool_id(tool)) decision.facts.set(fact::tool, tool);
  return decision;
}

void add_assumptions(std::string_view spoken, std::string_view thinking, record::Reading& reading) {
  for (const reading::Assumption& assumption : reading::read_assumptions(spoken, thinking)) {
    Decision decision{
        .word = "assumption", .text = assumption.assumption, .facts = {}, .about = {}};
    if (assumption.why) decision.rationale = Rationale{.why = *assumption.why};
    reading.decisions.push_back(std::move(decision));
  }
}

// Takes the block of plain text that was written for this call, if there is one.
std::optional<Rationale> take_plain(std::vector<reading::PlainBlock>& plain, std::int64_t number,
                                    const Intent& intent) {
  const auto own = std::find_if(plain.begin(), plain.end(), [&](const reading::PlainBlock& block) {
    const bool fits =
        block.tool.empty() || block.tool == intent.tool || block.tool == intent.called_as;
    return block.number == number && fits;
  });
  if (own == plain.end()) return std::nullopt;
  const std::string text = std::move(own->text);
  plain.erase(own);
  return clean_rationale(text).rationale;
}

}  // namespace

bool KnownRefs::holds(std::string_view ref, std::uint64_t more) const {
  if (ref == "goal" || ref == "scratch:goal" || names_.contains(ref)) return true;
  if (ref.starts_with(kObservation)) {
    const auto number = number_of(ref.substr(kObservation.size()));
    return number && *number >= 1 && *number <= observations_ + more;
  }
  if (ref.size() < kMinDigits) return false;
  const auto commit = names_.lower_bound(ref);
  return commit != names_.end() && commit->size() == 64 && commit->starts_with(ref);
}

std::vector<std::string> KnownRefs::unknown(const Rationale& rationale, std::uint64_t more) const {
  std::vector<std::string> unknown;
  for (const std::string& ref : rationale.refs) {
    if (!holds(ref, more)) unknown.push_back(ref);
  }
  return unknown;
}

record::Reading read_reasons(const record::AnswerContent& content,
                             const std::vector<Intent>& intents, const AnswerForm& form,
                             const KnownRefs& known, bool asked_for) {
  record::Reading reading;
  using reading::InObjects;
  auto blocks = reading::read_rationale_blocks(content.text, content.thinking,
                                               form.is_native ? InObjects::read : InObjects::text);
  for (const std::string& claim : blocks.unmatched) {
    reading.decisions.push_back(decision_of_call(
        "rationale-dropped", fmt::format("a block claims the call '{}'", claim), 0, {}));
  }
  for (const std::string& why : blocks.unread) {
    reading.decisions.push_back(decision_of_call("rationale-dropped", why, 0, {}));
  }
  for (const std::int64_t number : blocks.repeated) {
    reading.decisions.push_back(decision_of_call(
        "rationale-dropped", fmt::format("a second block claims the call {}", number), number, {}));
  }
  for (std::size_t i = 0; i < intents.size(); ++i) {
    const Intent& intent = intents[i];
    const auto number = static_cast<std::int64_t>(i + 1);
    std::optional<Rationale> rationale = intent.rationale;
    std::vector<std::string> dropped = intent.dropped;
    const auto block = blocks.blocks.find(number);
    if (!rationale && block != blocks.blocks.end()) {
      const std::string& name = intent.called_as.empty() ? intent.tool : intent.called_as;
      const bool fits = reading::block_for(blocks, number, name) != nullptr ||
                        reading::block_for(blocks, number, intent.tool) != nullptr;
      if (fits) {
        rationale = block->second.rationale;
        dropped = block->second.dropped;
      } else if (!block->second.tool.empty()) {
        dropped.push_back(fmt::format("its block is for '{}'", block->second.tool));
      } else {
        dropped.emplace_back("its block stands at the number of another");
      }
    }
    if (!rationale) rationale = take_plain(blocks.plain, number, intent);
    for (const std::string& drop : dropped) {
      reading.decisions.push_back(decision_of_call("rationale-dropped", drop, number, intent.tool));
    }
    if (rationale) {
      for (const std::string& ref : known.unknown(*rationale, intent.earlier)) {
        reading.decisions.push_back(decision_of_call("unknown-ref", ref, number, intent.tool));
      }
      reading.rationale.emplace(i + 1, std::move(*rationale));
    } else if (asked_for && intent.needs_reason) {
      reading.decisions.push_back(decision_of_call(
          "rationale-missing", fmt::format("the call of '{}' has no reason", intent.tool), number,
          intent.tool));
    }
  }
  for (const reading::PlainBlock& plain : blocks.plain) {
    reading.decisions.push_back(decision_of_call(
        "rationale-dropped", fmt::format("a block that fits no call: {}", plain.text), 0, {}));
  }
  // A block for a call that was not made is dropped.
  for (const auto& [number, block] : blocks.blocks) {
    if (number > static_cast<std::int64_t>(intents.size())) {
      reading.decisions.push_back(decision_of_call(
          "rationale-dropped", fmt::format("there is no call {}", number), number, {}));
    }
  }
  add_assumptions(form.thought.value_or(blocks.stripped), content.thinking, reading);
  return reading;
}

}  // namespace spoor::agent::planners
