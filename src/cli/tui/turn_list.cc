#include "cli/tui/turn_list.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/turns/line_part.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/tui/text.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"

namespace spoor::cli::tui {
namespace {

constexpr std::array kTabs = {
    Tab{"show"}, Tab{"thinking"}, Tab{"diff"}, Tab{"prompt", true}, Tab{"info"},
};

constexpr std::uint64_t kPage = 64;      // Rows that are read at once.
constexpr std::size_t kMostPages = 16;   // That are kept.
constexpr std::uint64_t kLookBack = 64;  // Rows to look through for an answer or a thought.

constexpr int kKindWidth = 10;

bool is_answer(const api::TurnView& view) {
  return view.commit->type == store::Type::assistant && view.commit->op == store::Op::append;
}

}  // namespace

Result<std::unique_ptr<TurnList>> TurnList::read(Session& session, std::string title,
                                                 std::string branch, const store::Oid& tip) {
  std::unique_ptr<TurnList> list(new TurnList(session, std::move(title), std::move(branch)));
  TRY(list->begin_at(tip));
  return list;
}

Result<void> TurnList::begin_at(const store::Oid& tip) {
  const api::Workspace& workspace = *TRY(session_.workspace());
  size_ = TRY(workspace.reader().commit(tip))->depth + 1;
  tip_ = tip;
  pages_.clear();
  state_ = TRY(workspace.repository().folder().part_at(tip, {}));
  return {};
}

Result<const api::TurnView*> TurnList::turn(std::uint64_t index) {
  const std::uint64_t number = index / kPage;
  auto page = pages_.find(number);
  if (page == pages_.end()) {
    const api::Workspace& workspace = *TRY(session_.workspace());
    auto views = TRY(api::read_line_part(workspace.reader(), tip_, number * kPage, kPage));
    if (pages_.size() >= kMostPages) {  // The one that is furthest away.
      const auto far = [&](const auto& a, const auto& b) {
        const auto distance = [&](std::uint64_t at) {
          return at > number ? at - number : number - at;
        };
        return distance(a.first) < distance(b.first);
      };
      pages_.erase(std::ranges::max_element(pages_, far));
    }
    page = pages_.emplace(number, std::move(views)).first;
  }
  return &page->second.at(index % kPage);
}

Result<Line> TurnList::row(std::uint64_t index, int columns) {
  const api::TurnView& view = *TRY(turn(index));
  const std::string time = view.commit->time ? plain_time(*view.commit->time) : std::string();
  const auto digits = static_cast<int>(fmt::formatted_size("{}", size_));
  Line line{{fmt::format("{:>{}}  ", index + 1, digits), look_of(Style::commit)}};
  if (!time.empty()) {
    std::string shown = columns >= kWideList ? time.substr(0, 19) : time.substr(11, 8);
    std::ranges::replace(shown, 'T', ' ');
    line.push_back({shown + "  ", look_of(Style::muted)});
  }
  line.push_back({padded(view.kind(), kKindWidth) + "  ", look_of(style_of(view))});
  const compile::Entry* entry = state_->find(view.oid);
  const api::Marks marks = entry == nullptr ? api::Marks() : api::marks_of(*entry);
  for (const auto& mark : marks.words(view.commit->type.value_or(store::Type::summary))) {
    line.push_back(
        {std::string(mark) + "  ", look_of(mark == "edited" ? Style::edited : Style::pinned)});
  }
  if (view.fields.is_error) line.push_back({"failed  ", look_of(Style::error)});
  const bool is_request = view.commit->type == store::Type::user;
  line.push_back({visible_line(view.summary()), look_of(view.is_reasoning() ? Style::reasoning
                                                        : is_request        ? Style::strong
                                                                            : Style::plain)});
  return line;
}

Result<bool> TurnList::has(std::uint64_t index, std::string_view needle) {
  const api::TurnView& view = *TRY(turn(index));
  if (contains(view.text_or_empty(), needle)) return true;
  return std::ranges::any_of(view.calls(), [&](const compile::ToolCall& call) {
    return contains(call.name, needle) || contains(call.arguments, needle);
  });
}

// A request is a chapter.
Result<bool> TurnList::begins_chapter(std::uint64_t index) {
  const store::Commit& commit = *TRY(turn(index))->commit;
  return commit.op == store::Op::append && commit.type == store::Type::user;
}

std::span<const Tab> TurnList::tabs() const { return kTabs; }

// Returns the answer before, so that all that was new for this one shows; else the turn before.
Result<std::uint64_t> TurnList::answer_before(std::uint64_t index) {
  const std::uint64_t least = index - std::min(index, kLookBack);
  for (std::uint64_t at = index; at > least; --at) {
    if (is_answer(*TRY(turn(at - 1)))) return at - 1;
  }
  return index - 1;
}

// Returns the last thought at that point of the request; the turn itself if there is none.
Result<std::uint64_t> TurnList::thought_at(std::uint64_t index) {
  const std::uint64_t least = index - std::min(index, kLookBack);
  for (std::uint64_t at = index + 1; at > least; --at) {
    if (TRY(turn(at - 1))->is_reasoning()) return at - 1;
    if (TRY(begins_chapter(at - 1))) break;
  }
  return index;
}

Result<std::vector<std::string>> TurnList::command(std::uint64_t index, const Tab& tab,
                                                   std::optional<std::uint64_t> mark) {
  const std::string name = TRY(commit(index)).hex();
  if (tab.is('t')) {
    return std::vector<std::string>{"reasoning", TRY(commit(TRY(thought_at(index)))).hex()};
  }
  if (tab.is('p')) return std::vector<std::string>{"pprint", name};
  if (tab.is('i')) return std::vector<std::string>{"show", name};
  if (tab.is('d') && index > 0) {
    const std::uint64_t other = mark && *mark != index ? *mark : TRY(answer_before(index));
    return std::vector<std::string>{"diff", TRY(commit(std::min(other, index))).hex(),
                                    TRY(commit(std::max(other, index))).hex()};
  }
  return std::vector<std::string>{"show", "--brief", name};
}

Result<store::Oid> TurnList::commit(std::uint64_t index) { return TRY(turn(index))->oid; }

Result<std::unique_ptr<List>> TurnList::open(std::uint64_t /*index*/) {
  return std::unique_ptr<List>();
}

Result<std::unique_ptr<List>> TurnList::branches(std::uint64_t /*index*/) {
  return std::unique_ptr<List>();
}

Result<std::uint64_t> TurnList::refresh(std::uint64_t index) {
  if (branch_.empty()) return index;
  const auto tip = TRY(TRY(session_.workspace())->resolve_or_empty(branch_));
  if (!tip || *tip == tip_) return index;
  const bool was_last = index + 1 == size_;
  TRY(begin_at(*tip));
  return was_last ? size_ - 1 : std::min(index, size_ - 1);
}

}  // namespace spoor::cli::tui
