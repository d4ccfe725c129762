#include "sync/negotiate.h"

#include <algorithm>

#include "store/ancestry.h"

namespace spoor::sync {
namespace {

constexpr std::uint64_t kNearEnough = 256;
constexpr std::uint64_t kPlaces = 31;

// A first-parent line, of which the other store has the commits below `known`, none from `unknown`
// on, and between them it is not known.
struct Line {
  Oid tip;
  std::uint64_t known = 0;
  std::uint64_t unknown = 0;
  std::vector<std::uint64_t> depths;  // Asked now; descending.
};

// Asks about the depths of all lines, and narrows their gaps.
Result<void> ask_all(const store::Reader& reader, std::vector<Line>& lines, const AskWhich& ask) {
  std::vector<Oid> names;
  for (const Line& line : lines) {
    for (const std::uint64_t depth : line.depths) {
      names.push_back(TRY(store::ancestor_at(reader, line.tip, depth)));
    }
  }
  if (names.empty()) return {};
  const std::vector<bool> has = TRY(ask(names));
  if (has.size() != names.size()) return corrupt("the other store left a question open");
  std::size_t at = 0;
  for (Line& line : lines) {
    for (const std::uint64_t depth : line.depths) {
      if (has[at++]) {
        line.known = std::max(line.known, depth + 1);
      } else {
        line.unknown = std::min(line.unknown, std::max(depth, line.known));
      }
    }
    line.unknown = std::max(line.unknown, line.known);
    line.depths.clear();
  }
  return {};
}

}  // namespace

Result<std::vector<Oid>> find_common(const store::Store& store, std::span<const Oid> tips,
                                     const AskWhich& ask) {
  const store::Reader reader(store);
  std::vector<Line> lines;
  for (const Oid& tip : tips) {
    const std::uint64_t depth = TRY(reader.commit(tip))->depth;
    Line line{.tip = tip, .unknown = depth + 1};
    line.depths.push_back(depth);
    for (std::uint64_t back = 1; back < depth; back *= 2) line.depths.push_back(depth - back);
    if (depth > 0) line.depths.push_back(0);
    lines.push_back(std::move(line));
  }
  TRY(ask_all(reader, lines, ask));
  while (true) {
    for (Line& line : lines) {
      const std::uint64_t gap = line.unknown - line.known;
      if (line.known == 0 || gap <= kNearEnough) continue;
      for (std::uint64_t i = kPlaces; i > 0; --i) {
        line.depths.push_back(line.known + gap * i / (kPlaces + 1));
      }
    }
    if (std::ranges::all_of(lines, [](const Line& line) { return line.depths.empty(); })) break;
    TRY(ask_all(reader, lines, ask));
  }
  std::vector<Oid> common;
  for (const Line& line : lines) {
    if (line.known == 0) continue;
    common.push_back(TRY(store::ancestor_at(reader, line.tip, line.known - 1)));
  }
  return common;
}

Result<bool> goes_forward(const store::Reader& reader, const Oid& before, const Oid& after) {
  if (!reader.commit(before) || !reader.commit(after)) return false;
  return store::is_ancestor(reader, before, after);
}

}  // namespace spoor::sync
