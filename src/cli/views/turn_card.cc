#include "cli/views/turn_card.h"

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"

namespace spoor::cli {

using api::main_argument;
using api::read_view;

namespace {

constexpr int kLines = 5;

}  // namespace

void print_turn_head(Session& session, const Workspace& workspace, const TurnView& view,
                     const Decorations& names) {
  Output& out = session.out();
  print_id(out, workspace, view.oid, workspace.short_id(view.oid));
  if (view.commit->time) {
    out.print("  " + shown_time(out, *view.commit->time, session.clock().now()));
  }
  const std::string kind = view.is_reasoning() ? "[reasoning]" : std::string(view.kind());
  out.print("  ").print(style_of(view), kind);
  if (const std::string model = visible_line(view.model()); !model.empty()) {
    out.print("  ").print(Style::muted, model);
  }
  print_names(out, names, view.oid);
  out.newline();
}

Result<void> print_turn_card(Session& session, const Workspace& workspace, const Oid& commit) {
  const TurnView view = TRY(read_view(workspace.reader(), commit));
  print_turn_head(session, workspace, view, TRY(Decorations::read(workspace)));
  Output& out = session.out();
  const Style style = view.is_reasoning() ? Style::reasoning : Style::plain;
  const auto print_line = [&](Style how, std::string_view text) {
    std::string line = visible(text);
    if (out.is_tty()) line = truncated(line, std::max(out.width() - 4, 8));
    out.print("    ").print(how, line).newline();
  };
  int lines = 0;
  for_each_line(view.shown_text(), [&](std::string_view line) {
    if (++lines <= kLines) print_line(style, line);
  });
  if (lines > kLines) {
    print_line(
        Style::muted,
        "… " + counted(static_cast<std::uint64_t>(lines - kLines), "more line") + ": 'show'");
  }
  if (view.fields.tool_calls) {
    for (const compile::ToolCall& call : *view.fields.tool_calls) {
      print_line(Style::tool,
                 "→ " + visible_line(call.name) + " " + visible_line(main_argument(call)));
    }
  }
  return {};
}

}  // namespace spoor::cli
