#include "compile/selection.h"

#include <algorithm>
#include <string_view>

#include "compile/call_pairs.h"
#include "compile/entry_part.h"
#include "compile/message_numbers.h"

namespace spoor::compile {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

bool is_shown_by(const Entry& entry, const CompileOptions& options) {
  if (entry.is_of_thoughts && !entry.is_explicit && options.version >= 2) {
    return options.include_reasoning;
  }
  if (entry.priority != Priority::skip) return true;
  return options.include_reasoning && entry.type == Type::reasoning && !entry.is_explicit;
}

std::string_view directive_of(const Entry& entry) {
  return entry.type == Type::system && entry.fields ? entry.fields->name : std::string_view();
}

// Numbers grouped by piece, in order: two arrays for any number of pieces.
class Pieces {
 public:
  explicit Pieces(std::size_t count) : ends_(count + 1, 0) {}

  void count(std::uint32_t piece) { ++ends_[piece + 1]; }

  void begin_adding() {
    for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    members_.resize(ends_.back());
    next_.assign(ends_.begin(), ends_.end() - 1);
  }

  void add(std::uint32_t piece, std::uint32_t number) { members_[next_[piece]++] = number; }

  std::span<const std::uint32_t> of(std::uint32_t piece) const {
    return std::span(members_).subspan(ends_[piece], ends_[piece + 1] - ends_[piece]);
  }

 private:
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> members_;
};

}  // namespace

Selection::Selection(const State& state, const CompileOptions& options)
    : clear_results_after_(options.clear_results_after) {
  lines_.reserve(state.entries().size());
  MessageNumbers numbers(options.version);
  std::size_t complete_line = 0;
  for (std::uint32_t i = state.first(); i != State::kEnd;) {
    if (i == state.complete_from()) {
      complete_line = lines_.size();
      numbers.begin_message();
    }
    const Entry& entry = state.entries()[i];
    const std::uint32_t number = numbers.number(entry);
    if (!entry.is_compressed()) lines_.push_back({&entry, number, kNone, std::nullopt});
    i = entry.next;
  }
  hide(options);
  group(numbers.size(), options.with_thoughts);
  gather();
  if (options.window || options.budget) join_pieces();
  if (state.complete_from()) complete_from_ = first_complete_group(complete_line);
}

// Returns the first group of an entry at `line` or after it. No group has entries on both sides.
std::uint32_t Selection::first_complete_group(std::size_t line) const {
  for (; line < lines_.size(); ++line) {
    if (lines_[line].group != kNone) return lines_[line].group;
  }
  return static_cast<std::uint32_t>(groups_.size());
}

bool Selection::is_exact() const {
  if (!complete_from_) return true;
  if (!decided_from_ || *decided_from_ < *complete_from_) return false;
  // A piece that begins with a result, or with what may be missing, may be a part of another.
  for (std::uint32_t i = *complete_from_; i < groups_.size(); ++i) {
    const bool matters = i >= *decided_from_ || groups_[i].is_pinned;
    const std::uint32_t head = groups_[i].piece;
    const bool is_open = head < *complete_from_ || entries(head).front()->type == Type::tool;
    if (matters && is_open) return false;
  }
  return true;
}

std::span<const Entry* const> Selection::entries(std::size_t message) const {
  return std::span(members_).subspan(groups_[message].first, groups_[message].count);
}

std::span<const Selection::Led> Selection::thoughts(std::size_t message) const {
  const auto found = thoughts_.find(static_cast<std::uint32_t>(message));
  return found == thoughts_.end() ? std::span<const Led>() : std::span<const Led>(found->second);
}

bool Selection::clears(std::size_t message, const Entry& entry) const {
  if (!clear_results_after_ || entry.type != Type::tool) return false;
  if (entry.priority == Priority::pinned) return false;
  const auto followers = static_cast<std::int64_t>(groups_.size() - 1 - message);
  return followers >= *clear_results_after_;
}

std::vector<LeftOut> Selection::left_out(const Cleared& cleared) const {
  const auto why_of = [&](const Line& line) -> std::optional<Why> {
    if (line.out) return line.out;
    if (groups_[line.group].dropped) return groups_[line.group].dropped;
    return cleared.contains(line.entry) ? std::optional(Why::clearing) : std::nullopt;
  };
  std::vector<LeftOut> all;
  all.reserve(static_cast<std::size_t>(std::count_if(
      lines_.begin(), lines_.end(), [&](const Line& line) { return why_of(line).has_value(); })));
  for (const Line& line : lines_) {
    if (const auto why = why_of(line)) all.push_back({line.entry->commit, *why});
  }
  return all;
}

// --- Messages -------------------------------------------------------------------

// Hides skipped entries. If several system prompts have one name, shows only the last that is not
// skipped.
void Selection::hide(const CompileOptions& options) {
  std::unordered_map<std::string_view, const Entry*> last;
  for (Line& line : lines_) {
    if (!is_shown_by(*line.entry, options)) {
      line.out = Why::skip;
    } else if (const auto name = directive_of(*line.entry); !name.empty()) {
      last.insert_or_assign(name, line.entry);
    }
  }
  for (Line& line : lines_) {
    if (line.out) continue;
    const auto name = directive_of(*line.entry);
    if (!name.empty() && last.at(name) != line.entry) line.out = Why::directive;
  }
}

// Joins the records of one provider message to one message, at the position of the first one shown.
void Selection::group(std::size_t numbers, bool with_thoughts) {
  std::vector<std::uint32_t> by_number(numbers, kNone);
  std::vector<const Entry*> thoughts;  // Since the last turn other than a reasoning.
  for (Line& line : lines_) {
    const Entry& entry = *line.entry;
    if (with_thoughts && entry.type == Type::reasoning) {
      if (line.out == Why::skip && !entry.is_explicit) thoughts.push_back(&entry);
    }
    if (line.out) {
      if (entry.type != Type::reasoning) thoughts.clear();
      continue;
    }
    std::uint32_t& group = by_number[line.number];
    if (group == kNone) {
      group = static_cast<std::uint32_t>(groups_.size());
      groups_.emplace_back();
    }
    line.group = group;
    give(thoughts, entry, line.group);
    ++groups_[line.group].count;
  }
}

// Assigns the thoughts before `entry` to it if it is an answer, and drops them if it is another
// turn. A lifted or pinned reasoning between them does not count as a turn here.
void Selection::give(std::vector<const Entry*>& thoughts, const Entry& entry, std::uint32_t group) {
  if (entry.type == Type::reasoning) return;
  if (entry.type == Type::assistant) {
    for (const Entry* thought : thoughts) {
      thoughts_[group].push_back({thought, groups_[group].count});
    }
  }
  thoughts.clear();
}

void Selection::gather() {
  std::uint32_t end = 0;
  for (Group& each : groups_) {
    each.first = end;
    end += each.count;
    each.count = 0;
  }
  members_.resize(end);
  for (const Line& line : lines_) {
    if (line.group == kNone) continue;
    Group& group = groups_[line.group];
    members_[group.first + group.count++] = line.entry;
  }
}

// --- Window and budget ----------------------------------------------------------

void Selection::join_pieces() {
  CallPairs pairs;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].piece = static_cast<std::uint32_t>(pairs.add(entries(i)));
    for (const Entry* entry : entries(i)) {
      if (entry->priority == Priority::pinned) groups_[i].is_pinned = true;
    }
  }
}

void Selection::apply_window(std::int64_t turns) {
  std::size_t start = groups_.size();
  while (start > 0 && turns > 0) {
    --start;
    if (entries(start).front()->type == Type::user) --turns;
  }
  if (turns > 0) return;  // Fewer turns than requested: keep all.
  decided_from_ = static_cast<std::uint32_t>(start);

  std::vector<bool> keeps(groups_.size(), false);  // By piece.
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (i >= start || groups_[i].is_pinned) keeps[groups_[i].piece] = true;
  }
  for (Group& group : groups_) {
    if (!keeps[group.piece]) group.dropped = Why::window;
  }
}

Result<void> Selection::apply_budget(std::uint64_t budget, const Weigh& weigh) {
  Pieces pieces(groups_.size());
  std::vector<bool> is_pinned(groups_.size(), false);  // By piece.
  for (const Group& group : groups_) {
    if (group.dropped) continue;
    pieces.count(group.piece);
    if (group.is_pinned) is_pinned[group.piece] = true;
  }
  pieces.begin_adding();
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    if (!groups_[i].dropped) pieces.add(groups_[i].piece, i);
  }
  std::vector<std::uint32_t> pinned;
  std::vector<std::uint32_t> loose;  // Pieces that may be dropped, oldest first.
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    const auto members = pieces.of(i);
    if (is_pinned[i]) pinned.insert(pinned.end(), members.begin(), members.end());
    if (!is_pinned[i] && !members.empty()) loose.push_back(i);
  }

  // Pieces of a partial state that begin before its complete part are not looked at.
  const auto oldest = static_cast<std::size_t>(
      std::lower_bound(loose.begin(), loose.end(), complete_from_.value_or(0)) - loose.begin());
  std::uint64_t total = TRY(weigh(pinned));
  std::size_t kept = loose.size();  // Pieces from this index on are kept.
  for (std::size_t batch = 16; kept > oldest && total <= budget; batch *= 2) {
    const std::size_t from = kept - std::min(batch, kept - oldest);
    std::vector<std::uint32_t> wanted;
    for (std::size_t i = from; i < kept; ++i) {
      const auto members = pieces.of(loose[i]);
      wanted.insert(wanted.end(), members.begin(), members.end());
    }
    TRY(weigh(wanted));  // Reads all that may be needed at once.
    while (kept > from) {
      const std::uint64_t weight = TRY(weigh(pieces.of(loose[kept - 1])));
      if (total + weight > budget) break;
      total += weight;
      --kept;
    }
    if (kept > from) break;
  }
  if (kept > 0) decided_from_ = loose[kept - 1];
  for (std::size_t i = 0; i < kept; ++i) {
    for (const std::uint32_t member : pieces.of(loose[i])) groups_[member].dropped = Why::budget;
  }
  return {};
}

}  // namespace spoor::compile
