#include "api/commands/cost.h"

#include <fmt/format.h>

#include "cli/amounts.h"
#include "cli/listing.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/times.h"

namespace spoor::cli {
namespace {

// A table with a line of sums.
class CostView {
 public:
  CostView(Session& session, const api::CostQuery& query) : session_(session), out_(session.out()) {
    for (const std::string& by : query.by) title_ += (title_.empty() ? "" : "  ") + by;
    if (title_.empty()) title_ = "day";
  }

  void row(const api::CostRow& row) {
    rows_.push_back(row);
    sum_.answers += row.answers;
    sum_.input_tokens += row.input_tokens;
    sum_.cache_read_tokens += row.cache_read_tokens;
    sum_.cache_write_tokens += row.cache_write_tokens;
    sum_.output_tokens += row.output_tokens;
    if (row.cost_usd) sum_.cost_usd = sum_.cost_usd.value_or(llm::Money{}) + *row.cost_usd;
    sum_.is_complete = sum_.is_complete && row.is_complete;
  }

  Result<void> end() {
    if (rows_.empty()) {
      session_.err().print("no answer of a model matches\n");
      return {};
    }
    for (const api::CostRow& row : rows_) width_ = std::max(width_, display_width(name_of(row)));
    out_.print(Style::strong,
               line(title_, "answers", "input", "cache read", "cache write", "output", "cost"));
    for (const api::CostRow& row : rows_) print(row, name_of(row));
    if (rows_.size() > 1) print(sum_, "total");
    return {};
  }

 private:
  static std::string name_of(const api::CostRow& row) {
    std::string name;
    for (const auto& part : {row.day, row.model, row.project, row.agent}) {
      if (!part) continue;
      name += (name.empty() ? "" : "  ") + (part->empty() ? "unknown" : visible_line(*part));
    }
    return name;
  }

  void print(const api::CostRow& row, const std::string& name) {
    out_.print(line(name, grouped(row.answers), short_number(row.input_tokens),
                    short_number(row.cache_read_tokens), short_number(row.cache_write_tokens),
                    short_number(row.output_tokens),
                    row.cost_usd ? short_cost(*row.cost_usd, row.is_complete) : "unknown"));
  }

  std::string line(std::string_view name, std::string_view answers, std::string_view input,
                   std::string_view read, std::string_view written, std::string_view output,
                   std::string_view cost) const {
    return fmt::format("{}{:>9}{:>8}{:>12}{:>13}{:>8}{:>11}\n", padded(name, width_), answers,
                       input, read, written, output, cost);
  }

  Session& session_;
  Output& out_;
  std::string title_;
  std::vector<api::CostRow> rows_;
  api::CostRow sum_;
  int width_ = 10;
};

}  // namespace

extern const Command kCost = listing_command<api::kCost, CostView>();

}  // namespace spoor::cli
