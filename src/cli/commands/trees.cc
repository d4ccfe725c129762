#include "api/commands/trees.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/amounts.h"
#include "cli/views/listing.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {
namespace {

constexpr std::size_t kDigits = 8;
constexpr std::string_view kIndent = "          ";  // As wide as the digits and what follows them.

// Prints two lines per tree: its id and what was asked; then what came of it.
class TreesView {
 public:
  TreesView(Session& session, const api::TreesQuery& query)
      : session_(session), out_(session.out()), is_filtered_(!query.dataset.empty()) {}

  void row(const api::TreeRow& row) {
    any_ = true;
    out_.print(Style::commit, row.tree.substr(0, kDigits)).print("  ");
    out_.print(Style::strong, fitted(visible_line(row.goal))).newline();
    const std::string text = details(row);
    out_.print(kIndent).print(Style::muted, out_.is_tty() ? fitted(text) : text).newline();
  }

  Result<void> end() {
    if (any_) return {};
    session_.err().print(is_filtered_ ? "no tree of this data set\n" : "no trees yet\n");
    session_.err()
        .print(Style::hint, "hint:")
        .print(is_filtered_ ? " 'spoor dataset list' lists the data sets\n"
                            : " 'spoor fork REV --n 8' makes one\n");
    return {};
  }

 private:
  std::string fitted(const std::string& text) const {
    constexpr int kUsualWidth = 100;
    const int width = out_.is_tty() ? out_.width() : kUsualWidth;
    return truncated(text, std::max(width - display_width(kIndent), 8));
  }

  std::string details(const api::TreeRow& row) const {
    std::vector<std::string> parts;
    if (row.time) parts.push_back(shown_time(out_, *row.time, session_.clock().now()));
    parts.push_back("at " + row.base.hex(kDigits));
    parts.push_back(fmt::format("{} of {} ended", row.ended, counted(row.attempts, "attempt")));
    parts.push_back(row.judged == 0 ? "none judged"
                                    : fmt::format("{} of {} judged pass", row.passes, row.judged));
    if (row.tokens > 0) parts.push_back(short_number(row.tokens) + " tok");
    if (row.cost_usd) parts.push_back(short_cost(*row.cost_usd, row.is_complete));
    if (!row.dataset.empty()) parts.push_back(visible_line(row.dataset));
    if (!row.models.empty()) parts.push_back(visible_line(row.models.front()));
    if (row.models.size() > 1) parts.back() += fmt::format(" +{}", row.models.size() - 1);
    return fmt::format("{}", fmt::join(parts, "  "));
  }

  Session& session_;
  Output& out_;
  bool is_filtered_;
  bool any_ = false;
};

}  // namespace

extern const Command kTrees = listing_command<api::kTrees, TreesView>();

}  // namespace spoor::cli
