#include "api/commands/answers.h"

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/amounts.h"
#include "cli/views/listing.h"
#include "cli/views/times.h"

namespace spoor::cli {
namespace {

// Prints one line per answer.
class AnswersView {
 public:
  AnswersView(Session& session, const api::AnswersQuery&)
      : session_(session), out_(session.out()) {}

  void row(const api::AnswerRow& row) {
    any_ = true;
    constexpr std::size_t kDigits = 8;
    std::string numbers =
        fmt::format("  {:>7}", row.cost_usd ? short_cost(*row.cost_usd, true) : "");
    numbers += fmt::format("  {:>5} in", tokens(row.prompt_tokens));
    numbers += fmt::format("  {:>5} out", tokens(row.output_tokens));
    numbers += fmt::format("  {:>7}", row.duration_ms ? short_duration(*row.duration_ms) : "");
    std::string says = visible_line(row.text);
    if (says.empty() && row.calls > 0) says = counted(row.calls, "call");
    if (out_.is_tty()) {
      const int used = static_cast<int>(kDigits) + display_width(numbers) + 2;
      says = truncated(says, std::max(out_.width() - used, 12));
    }
    out_.print(Style::commit, row.commit.hex(kDigits)).print(numbers).print("  " + says).newline();
  }

  Result<void> end() {
    if (!any_) session_.err().print("no answers yet\n");
    return {};
  }

 private:
  static std::string tokens(std::optional<std::uint64_t> count) {
    return count ? short_number(*count) : std::string();
  }

  Session& session_;
  Output& out_;
  bool any_ = false;
};

}  // namespace

extern const Command kAnswers = listing_command<api::kAnswers, AnswersView>();

}  // namespace spoor::cli
