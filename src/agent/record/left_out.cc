#include "agent/record/left_out.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

namespace spoor::agent::record {
namespace {

using compile::Oid;

constexpr std::size_t kMaxRanges = 8;
constexpr std::size_t kDigits = 12;

struct Range {
  Oid first;
  Oid last;
  std::size_t size = 0;
};

}  // namespace

LeftOut out_of_window(const compile::Prompt& prompt) {
  LeftOut out;
  for (const compile::LeftOut& left : prompt.left_out) {
    const bool did_not_fit = left.why == compile::Why::window || left.why == compile::Why::budget;
    if (did_not_fit) out.dropped.push_back(left.commit);
    if (left.why == compile::Why::clearing) out.cleared.push_back(left.commit);
  }
  return out;
}

std::optional<Decision> curation_of(std::string_view word, const std::vector<Oid>& these,
                                    const std::vector<Oid>& those) {
  const std::unordered_set<Oid> known(those.begin(), those.end());
  std::vector<Range> ranges;
  std::size_t count = 0;
  bool is_open = false;
  for (const Oid& commit : these) {
    if (known.contains(commit)) {
      is_open = false;
      continue;
    }
    if (!is_open) ranges.push_back({commit, commit, 0});
    is_open = true;
    ranges.back().last = commit;
    ++ranges.back().size;
    ++count;
  }
  if (ranges.empty()) return std::nullopt;

  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const Range& a, const Range& b) { return a.size > b.size; });
  Decision decision{.word = std::string(word), .facts = {}, .about = {}};
  decision.text = fmt::format("{} turn{}:", count, count == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(ranges.size(), kMaxRanges); ++i) {
    const Range& range = ranges[i];
    decision.text += ' ' + range.first.hex(kDigits);
    if (range.size > 1) decision.text += ".." + range.last.hex(kDigits);
    decision.about.push_back(range.first);
    if (range.size > 1) decision.about.push_back(range.last);
  }
  if (ranges.size() > kMaxRanges) {
    decision.text += fmt::format(" and {} ranges more", ranges.size() - kMaxRanges);
  }
  decision.facts.set(fact::turns, static_cast<std::int64_t>(count));
  return decision;
}

}  // namespace spoor::agent::record
