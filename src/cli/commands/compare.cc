#include "api/commands/compare.h"

#include <map>

#include <fmt/format.h>

#include "cli/listing.h"
#include "cli/request_view.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/times.h"

namespace spoor::cli {
namespace {

// Prints one line per call, and one of counts.
class CompareView {
 public:
  CompareView(Session& session, const api::CompareQuery& query)
      : session_(session), out_(session.out()), all_(query.all) {}

  void row(const api::ComparedRow& row) {
    ++counts_[row.change];
    const char* mark = row.change == "removed"   ? "-"
                       : row.change == "added"   ? "+"
                       : row.change == "changed" ? "~"
                                                 : " ";
    const Style style = row.change == "removed"   ? Style::removed
                        : row.change == "added"   ? Style::added
                        : row.change == "changed" ? Style::edited
                                                  : Style::muted;
    const std::string outcome = outcome_of(row);
    constexpr std::size_t kDigits = 8;
    const std::string id = (row.after ? row.after : row.before).value_or(Oid()).hex(kDigits);
    constexpr int kToolWidth = 12;
    constexpr int kUsualWidth = 100;
    const int width = out_.is_tty() ? out_.width() : kUsualWidth;
    const int left = width - kToolWidth - 6 - display_width(outcome) - display_width(id);
    out_.print(style, fmt::format("{} {}", mark, padded(visible_line(row.tool), kToolWidth)));
    out_.print(style, padded(shortened_target(visible_line(row.target), std::max(left, 12)), left));
    out_.print("  ").print(Style::error, outcome).print(outcome.empty() ? "" : "  ");
    out_.print(Style::commit, id).newline();
  }

  Result<void> end() {
    if (counts_.empty()) {
      session_.err().print(all_ ? "neither makes a call\n" : "no differences\n");
      return {};
    }
    std::string text;
    for (const auto& [change, count] : counts_) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), change);
    }
    out_.print(Style::muted, text + "  (- only A, + only B, ~ both, but different)").newline();
    return {};
  }

 private:
  static std::string outcome_of(const api::ComparedRow& row) {
    const std::string before = row.outcome_before.value_or("");
    const std::string after = row.outcome_after.value_or("");
    if (!before.empty() && !after.empty() && before != after) return before + " -> " + after;
    const std::string& either = after.empty() ? before : after;
    return either == "ok" ? std::string() : either;
  }

  Session& session_;
  Output& out_;
  bool all_;
  std::map<std::string, std::size_t> counts_;
};

}  // namespace

extern const Command kCompare = listing_command<api::kCompare, CompareView>();

}  // namespace spoor::cli
