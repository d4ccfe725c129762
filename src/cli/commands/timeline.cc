#include "api/commands/timeline.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/terminal/width.h"
#include "cli/views/amounts.h"
#include "cli/views/listing.h"
#include "cli/views/table.h"
#include "cli/views/times.h"

namespace spoor::cli {
namespace {

// Prints one line per piece, with a bar as long as its time.
class TimelineView {
 public:
  TimelineView(Session& session, const api::TimelineQuery&)
      : session_(session), out_(session.out()) {}

  void row(const api::TimelineRow& row) { rows_.push_back(row); }

  Result<void> end() {
    if (rows_.empty()) {
      session_.err().print("no commits yet\n");
      return {};
    }
    std::int64_t most = 1;
    for (const auto& row : rows_) most = std::max(most, row.model_ms + row.tool_ms);
    // Beside the other columns there is room for a short bar on a terminal of 80 columns.
    constexpr std::int64_t kOthers = 74;
    const std::int64_t bar = out_.is_tty() ? std::clamp(out_.width() - kOthers, 4L, 16L) : 16;
    const bool is_one_day = is_of_one_day();
    std::vector<std::vector<std::string>> lines = {
        {"turns", "began", "busy", "model", "tools", "output", "cache read", "cost", "failed"}};
    for (const auto& row : rows_) {
      const std::uint64_t failed = row.failed_calls + row.failed_requests;
      lines.push_back({fmt::format("{}–{}", row.from, row.to),
                       row.started ? began(*row.started, is_one_day) : std::string(),
                       repeated("▇", static_cast<int>((row.model_ms + row.tool_ms) * bar / most)),
                       short_duration(row.model_ms), short_duration(row.tool_ms),
                       short_number(row.output_tokens), short_number(row.cache_read_tokens),
                       row.cost_usd ? short_cost(*row.cost_usd, true) : std::string(),
                       failed > 0 ? grouped(failed) : std::string()});
    }
    print_table(out_, lines, 3);
    return {};
  }

 private:
  bool is_of_one_day() const {
    std::set<std::string> days;
    for (const auto& row : rows_) {
      if (row.started) days.insert(plain_time(*row.started).substr(0, 10));
    }
    return days.size() < 2;
  }

  // On a terminal, the time of the day, with the date where the session is of several days.
  std::string began(Timestamp time, bool is_one_day) const {
    const std::string whole = plain_time(time);
    if (!out_.is_tty()) return whole;
    return is_one_day ? whole.substr(11, 8) : whole.substr(5, 5) + " " + whole.substr(11, 5);
  }

  Session& session_;
  Output& out_;
  std::vector<api::TimelineRow> rows_;
};

}  // namespace

extern const Command kTimeline = listing_command<api::kTimeline, TimelineView>();

}  // namespace spoor::cli
