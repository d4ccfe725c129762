#include "cli/follow.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/turns/follow.h"
#include "api/turns/history.h"
#include "api/turns/turn_json.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {

using api::Follow;
using api::JsonWriter;

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
