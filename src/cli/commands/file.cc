#include "api/commands/file_edits.h"

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/diff_lines.h"
#include "cli/views/listing.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {
namespace {

// Prints a heading, the reason, and the change.
class EditView {
 public:
  EditView(Session& session, const api::FileQuery& query)
      : session_(session), out_(session.out()), path_(query.path) {}

  void row(const api::EditRow& row) {
    if (any_) out_.newline();
    any_ = true;
    constexpr std::size_t kDigits = 8;
    const auto& commit = row.answer ? row.answer : row.result;
    if (commit) out_.print(Style::commit, commit->hex(kDigits)).print("  ");
    if (row.time) out_.print(shown_time(out_, *row.time, session_.clock().now()) + "  ");
    out_.print(Style::muted, fmt::format("session {}  ", row.number));
    out_.print(Style::strong, visible_line(row.path)).print(changed(row)).newline();
    print_reason(row.why.empty() && !row.request.empty() ? "request: " + row.request : row.why);
    print_diff_lines(out_, row.diff, "    ");
  }

  Result<void> end() {
    if (any_) return {};
    session_.err().print(fmt::format("no session edits '{}'\n", visible_line(path_)));
    session_.err().print(Style::hint, "hint:");
    session_.err().print(" shell commands that name it: spoor calls --match PATH\n");
    return {};
  }

 private:
  static std::string changed(const api::EditRow& row) {
    std::string text;
    if (row.lines_added) text += fmt::format("  +{}", *row.lines_added);
    if (row.lines_removed) text += fmt::format("  -{}", *row.lines_removed);
    return text;
  }

  // Prints the first lines of the reason; `spoor reasoning` prints all of it.
  void print_reason(std::string_view why) {
    constexpr int kMostLines = 4;
    int shown = 0;
    const int width = out_.is_tty() ? out_.width() - 4 : 96;
    for (const std::string_view line : wrapped(why, width)) {
      if (line.empty()) continue;
      const bool is_last = ++shown == kMostLines;
      out_.print("  ").print(Style::reasoning, "> " + visible_line(line));
      out_.print(Style::reasoning, is_last ? " …" : "").newline();
      if (is_last) break;
    }
  }

  Session& session_;
  Output& out_;
  std::string path_;
  bool any_ = false;
};

}  // namespace

extern const Command kFile = listing_command<api::kFile, EditView>();

}  // namespace spoor::cli
