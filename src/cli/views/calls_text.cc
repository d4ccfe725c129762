#include "cli/views/calls_text.h"

#include <fmt/format.h>

#include "base/json/reader.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {
namespace {

constexpr std::size_t kLinesShown = 6;

// Prints the value of an argument: after its name if it is one line, else below it.
void print_value(Output& out, std::string_view name, std::string_view text, std::string_view indent,
                 bool in_full) {
  std::size_t lines = 0;
  for_each_line(text, [&](std::string_view) { ++lines; });
  const std::string inner = std::string(indent) + "  ";
  if (lines <= 1) {
    print_text(out, Style::plain, fmt::format("{}: {}", name, text), inner);
    return;
  }
  out.print(inner).print(name).print(":\n");
  std::size_t shown = 0;
  for_each_line(text, [&](std::string_view line) {
    if (in_full || shown < kLinesShown) print_text(out, Style::plain, line, inner + "  ");
    if (line.empty() && (in_full || shown < kLinesShown)) out.newline();
    ++shown;
  });
  if (!in_full && lines > kLinesShown) {
    const std::string more = "… " + counted(lines - kLinesShown, "more line");
    out.print(inner + "  ").print(Style::muted, more).newline();
  }
}

}  // namespace

void print_text(Output& out, Style style, std::string_view text, std::string_view indent) {
  const int columns = std::max(out.width() - display_width(indent), 20);
  for_each_line(text, [&](std::string_view line) {
    // Escaped before wrapping, since escapes take up columns.
    const std::string shown = out.is_raw() || !out.is_tty() ? std::string() : visible(line);
    const std::string_view whole = shown.empty() ? line : std::string_view(shown);
    const auto pieces =
        out.is_tty() ? wrapped(whole, columns) : std::vector<std::string_view>{whole};
    for (const std::string_view piece : pieces) {
      // No blanks at the end of an empty line.
      const std::size_t visible_end = indent.find_last_not_of(' ') + 1;
      out.print(piece.empty() ? indent.substr(0, visible_end) : indent);
      out.print(style, piece).newline();
    }
  });
}

void print_call(Output& out, const compile::ToolCall& call, std::string_view indent, bool in_full) {
  out.print(indent).print(Style::tool, "→ " + call.name);
  if (!call.id.empty()) out.print(" ").print(Style::muted, call.id);
  out.newline();
  const auto document = json::parse(call.arguments);
  if (!document || !document.value().root().is_object()) {
    print_text(out, Style::plain, call.arguments, std::string(indent) + "  ");
    return;
  }
  for (const json::Member member : document.value().root().members()) {
    const json::Value value = member.value;
    const std::string text = value.is_string() ? value.text() : std::string(value.raw());
    print_value(out, member.key.text(), text, indent, in_full);
  }
}

}  // namespace spoor::cli
