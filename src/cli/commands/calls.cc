#include "api/commands/calls.h"

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/amounts.h"
#include "cli/views/listing.h"

namespace spoor::cli {
namespace {

// Prints one line per call.
class CallView {
 public:
  CallView(Session& session, const api::CallsQuery&) : session_(session), out_(session.out()) {}

  void row(const api::CallRow& row) {
    any_ = true;
    const std::string number = fmt::format("{:>4}  ", row.number);
    const std::string tool = padded(visible_line(row.tool), kToolWidth) + "  ";
    std::string after = id_of(row) + took(row);
    std::string outcome = row.outcome == "ok" ? "" : row.outcome;
    if (row.exit_code.value_or(0) != 0) outcome += fmt::format(" (exit {})", *row.exit_code);
    if (!outcome.empty()) outcome += "  ";
    std::string target = visible_line(row.target);
    if (out_.is_tty()) {
      const int used = display_width(number) + display_width(tool) + display_width(outcome) +
                       display_width(after) + 2;
      target = truncated(target, std::max(out_.width() - used, 12));
    }
    out_.print(Style::muted, number).print(Style::tool, tool).print(target + "  ");
    out_.print(Style::error, outcome).print(Style::commit, after).newline();
  }

  Result<void> end() {
    if (!any_) session_.err().print("no call matches\n");
    return {};
  }

 private:
  static constexpr int kToolWidth = 12;

  static std::string id_of(const api::CallRow& row) {
    constexpr std::size_t kDigits = 8;
    const auto& commit = row.result ? row.result : row.answer;
    return commit ? commit->hex(kDigits) : std::string();
  }

  static std::string took(const api::CallRow& row) {
    return row.duration_ms ? "  " + short_duration(*row.duration_ms) : std::string();
  }

  Session& session_;
  Output& out_;
  bool any_ = false;
};

}  // namespace

extern const Command kCalls = listing_command<api::kCalls, CallView>();

}  // namespace spoor::cli
