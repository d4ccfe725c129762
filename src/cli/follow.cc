#include "cli/follow.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/history.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/turn_json.h"
#include "cli/turn_text.h"
#include "store/store.h"

namespace spoor::cli {
namespace {

constexpr std::chrono::milliseconds kLook{50};

}  // namespace

Result<Follow> Follow::begin(const Workspace& workspace, std::string branch) {
  Follow follow(workspace, std::move(branch));
  TRY(follow.look());
  return follow;
}

Result<std::vector<Follow::Moved>> Follow::look() {
  std::vector<Moved> moved;
  const store::Store& store = workspace_.repository().store();
  const bool is_first = !std::exchange(has_begun_, true);
  const auto newest = TRY(store.newest_operation());
  if (!newest || newest->name == operation_) return moved;
  operation_ = newest->name;
  const std::string heads = store::branch_ref("");
  std::vector<Oid> seen;  // The tips before and now, also if a branch has left it.
  for (const auto& [name, tip] : tips_) seen.push_back(tip);
  for (const store::Ref& ref : TRY(store.refs(branch_.empty() ? heads : branch_))) {
    if (!branch_.empty() && ref.name != branch_) continue;
    const auto known = tips_.find(ref.name);
    const bool is_same = known != tips_.end() && known->second == ref.target;
    if (is_same || is_first) {
      tips_[ref.name] = ref.target;
      continue;
    }
    HistoryQuery query;
    query.tips = {ref.target};
    query.without = seen;
    seen.push_back(ref.target);
    Moved more{ref.name.substr(heads.size()), {}};
    TRY(walk(workspace_, query, [&](const HistoryStep& step) {
      more.turns.push_back(step.view.oid);
      return true;
    }));
    std::reverse(more.turns.begin(), more.turns.end());
    tips_[ref.name] = ref.target;
    if (!more.turns.empty()) moved.push_back(std::move(more));
  }
  return moved;
}

Result<std::vector<Follow::Moved>> Follow::wait(const std::function<bool()>& is_over) {
  while (!is_over()) {
    auto moved = TRY(look());
    if (!moved.empty()) return moved;
    std::this_thread::sleep_for(kLook);
  }
  return std::vector<Moved>();
}

Result<void> follow_turns(Session& session, const Workspace& workspace, const std::string& branch,
                          bool is_json) {
  Output& out = session.out();
  Follow follow = TRY(Follow::begin(workspace, branch));
  const auto is_over = [&] { return out.is_closed() || is_output_cancelled(); };
  const auto print = [&](const std::string& name, const TurnView& view) {
    if (is_json) {
      JsonWriter json(true);
      write_entry(json, view, {}, view.tokens(workspace.repository().counter()), {name});
      out.verbatim(json.take());
      return;
    }
    const std::string time = view.commit->time ? view.commit->time->text() : std::string();
    std::string kind = view.is_reasoning() ? "[reasoning]" : std::string(view.kind());
    kind.resize(std::max<std::size_t>(kind.size(), 11), ' ');
    std::string summary = visible_line(view.summary());
    if (out.is_tty()) {
      const int room = out.width() - display_width(name) - display_width(kind) - 14;
      summary = truncated(summary, std::max(room, 20));
    }
    // At a terminal the time of day is enough: it is now.
    out.print(Style::muted, out.is_tty() && time.size() >= 19 ? time.substr(11, 8) : time);
    out.print("  ").print(Style::branch, name).print("  ").print(style_of(view), kind);
    out.print(" ").print(view.is_reasoning() ? Style::reasoning : Style::plain, summary).newline();
  };
  while (true) {
    const auto moved = TRY(follow.wait(is_over));
    if (moved.empty()) return {};
    for (const Follow::Moved& each : moved) {
      TRY(each_selected(workspace, {}, each.turns, [&](const TurnView& view) {
        print(each.branch, view);
        return !out.is_closed();
      }));
    }
    out.flush();
  }
}

}  // namespace spoor::cli
