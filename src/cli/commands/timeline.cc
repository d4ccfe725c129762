#include "api/commands/timeline.h"

#include <fmt/format.h>

#include "cli/views/amounts.h"
#include "cli/views/listing.h"
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
    for (const auto& row : rows_) {
      const std::string place = fmt::format("{}–{}", row.from, row.to);
      out_.print(Style::commit, fmt::format("{:>13}", place));
      out_.print(Style::muted, row.started ? "  " + plain_time(*row.started) : std::string());
      constexpr std::int64_t kBar = 16;
      std::string bar;
      for (std::int64_t i = 0; i < (row.model_ms + row.tool_ms) * kBar / most; ++i) bar += "▇";
      out_.print(fmt::format("  {:<{}}", bar, kBar));
      out_.print(fmt::format(" {:>7} model {:>7} tools", short_duration(row.model_ms),
                             short_duration(row.tool_ms)));
      out_.print(fmt::format("  {:>5} out  {:>5} read", short_number(row.output_tokens),
                             short_number(row.cache_read_tokens)));
      if (row.cost_usd) out_.print("  " + short_cost(*row.cost_usd, true));
      const std::uint64_t failed = row.failed_calls + row.failed_requests;
      if (failed > 0) out_.print("  ").print(Style::error, fmt::format("{} failed", failed));
      out_.newline();
    }
    return {};
  }

 private:
  Session& session_;
  Output& out_;
  std::vector<api::TimelineRow> rows_;
};

}  // namespace

extern const Command kTimeline = listing_command<api::kTimeline, TimelineView>();

}  // namespace spoor::cli
