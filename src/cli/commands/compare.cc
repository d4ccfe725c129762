#include "api/commands/attempts.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/amounts.h"
#include "cli/views/listing.h"
#include "cli/views/request_view.h"
#include "cli/views/table.h"
#include "cli/views/times.h"

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

// Prints a table with a line for each model, and, if asked, one for each attempt.
class TreeView {
 public:
  TreeView(Session& session, const api::CompareQuery& query)
      : out_(session.out()), all_(query.all) {}

  void row(const api::VariantRow& row) { rows_.push_back(row); }

  Result<void> end() {
    std::vector<std::vector<std::string>> table = {headings()};
    for (const api::VariantRow& row : rows_) table.push_back(cells_of(row));
    const std::vector<std::string> lines = table_lines(out_, table, 1);
    for (std::size_t line = 0; line < lines.size(); ++line) {
      out_.print(line == 0 ? Style::muted : Style::plain, lines[line]).newline();
      if (line > 0 && all_) print_attempts(rows_[line - 1]);
    }
    return {};
  }

 private:
  std::vector<std::uint64_t> ks() const {
    std::vector<std::uint64_t> all;
    for (const api::VariantRow& row : rows_) {
      for (const api::PassAtK& each : row.pass_at_k) {
        if (std::ranges::find(all, each.k) == all.end()) all.push_back(each.k);
      }
    }
    std::ranges::sort(all);
    return all;
  }

  std::vector<std::string> headings() const {
    std::vector<std::string> line = {"model", "ended", "judged", "passes"};
    for (const std::uint64_t k : ks()) line.push_back(fmt::format("pass@{} (95 %)", k));
    line.insert(line.end(), {"tokens", "cost", "cost/pass"});
    return line;
  }

  std::vector<std::string> cells_of(const api::VariantRow& row) const {
    std::vector<std::string> line = {visible_line(row.model),
                                     fmt::format("{}/{}", row.ended, row.attempts),
                                     std::to_string(row.judged), std::to_string(row.passes)};
    for (const std::uint64_t k : ks()) {
      const auto found = std::ranges::find(row.pass_at_k, k, &api::PassAtK::k);
      line.push_back(found == row.pass_at_k.end() ? "-" : estimate_of(row, *found));
    }
    line.push_back(row.tokens > 0 ? short_number(row.tokens) : "-");
    line.push_back(cost_of(row.cost_usd, row.is_complete));
    line.push_back(cost_of(row.cost_per_pass_usd, row.is_complete));
    return line;
  }

  // An interval of attempts that all agree would be a point, and look like certainty.
  static std::string estimate_of(const api::VariantRow& row, const api::PassAtK& estimate) {
    const std::string value = fmt::format("{:.2f}", estimate.value);
    if (row.passes == row.judged) return value + " (all pass)";
    if (row.passes == 0) return value + " (none pass)";
    return fmt::format("{} ({:.2f} to {:.2f})", value, estimate.low, estimate.high);
  }

  static std::string cost_of(const std::optional<llm::Money>& cost, bool is_complete) {
    if (!cost) return "-";
    constexpr double kNano = 1e9;
    return fmt::format("{}${:.4f}", is_complete ? "" : "≥",
                       static_cast<double>(cost->nano_dollars) / kNano);
  }

  void print_attempts(const api::VariantRow& row) {
    for (const api::AttemptRow& each : row.rows) {
      const Style style = each.verdict == "pass"   ? Style::added
                          : each.verdict == "fail" ? Style::error
                                                   : Style::muted;
      out_.print("  ").print(style, padded(each.verdict, 9)).print("  ");
      out_.print(Style::branch, padded(each.branch, 20));
      std::string how = each.state;
      if (!each.stopped.empty()) how = each.stopped == "planner" ? each.by : each.stopped;
      out_.print(fmt::format("  {}, {}", how, counted(each.steps, "step")));
      if (each.tokens > 0) out_.print(fmt::format(", {} tok", short_number(each.tokens)));
      if (each.end) out_.print("  ").print(Style::commit, each.end->hex(8));
      out_.newline();
    }
  }

  Output& out_;
  bool all_;
  std::vector<api::VariantRow> rows_;
};

Result<void> run(Session& session, const Arguments& arguments) {
  const bool has_both = arguments.has("before") && arguments.has("after");
  if (!has_both && !api::compares_attempts(arguments)) {
    return session.usage_error("'compare' needs two revisions, or --tree",
                               "try 'spoor compare 57 58', or 'spoor compare --tree latest'");
  }
  return api::compares_attempts(arguments)
             ? run_listing<api::kCompareTree, TreeView>(session, arguments)
             : run_listing<api::kCompare, CompareView>(session, arguments);
}

Command command() {
  Command made = listing_command<api::kCompare, CompareView>();
  made.run = run;
  return made;
}

}  // namespace

extern const Command kCompare = command();

}  // namespace spoor::cli
