#include "api/commands/turns.h"

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/amounts.h"
#include "cli/views/listing.h"

namespace spoor::cli {
namespace {

// Prints one line per turn, and one per call.
class TurnsView {
 public:
  TurnsView(Session& session, const api::TurnsQuery&) : session_(session), out_(session.out()) {}

  void row(const api::TurnRow& row) {
    any_ = true;
    out_.print(Style::muted, fmt::format("{:>6}  ", row.position));
    out_.print(Style::commit, session_.workspace().value()->short_id(row.commit));
    out_.print("  ").print(Style::tool, padded(visible_line(row.kind), kKindWidth));
    std::string after;
    if (row.duration_ms) after += "  " + short_duration(*row.duration_ms);
    if (row.output_tokens) after += "  " + short_number(*row.output_tokens) + " tok";
    std::string text = visible_line(compile::preview(row.text, kTextColumns));
    if (text.empty()) {
      for (const api::TurnCall& call : row.calls) {
        text += (text.empty() ? "" : ", ") + visible_line(call.tool + " " + call.target);
      }
    }
    if (out_.is_tty()) {
      text = truncated(text, std::max(out_.width() - kUsed - display_width(after), kLeast));
    }
    out_.print("  ").print(row.kind == "reasoning" ? Style::reasoning : Style::plain, text);
    if (row.is_error) out_.print("  ").print(Style::error, "failed");
    out_.print(Style::muted, after).newline();
  }

  Result<void> end() {
    if (!any_) session_.err().print("no commit is at these positions\n");
    return {};
  }

 private:
  static constexpr int kKindWidth = 9;
  static constexpr int kUsed = 40;
  static constexpr int kLeast = 20;
  static constexpr std::size_t kTextColumns = 200;

  Session& session_;
  Output& out_;
  bool any_ = false;
};

}  // namespace

extern const Command kTurns = listing_command<api::kTurns, TurnsView>();

}  // namespace spoor::cli
