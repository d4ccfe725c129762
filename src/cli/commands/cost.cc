#include "api/commands/cost.h"

#include <algorithm>
#include <vector>

#include "cli/terminal/untrusted.h"
#include "cli/views/amounts.h"
#include "cli/views/listing.h"
#include "cli/views/table.h"
#include "cli/views/times.h"

namespace spoor::cli {
namespace {

// A table with a line of sums.
class CostView {
 public:
  CostView(Session& session, const api::CostQuery&) : session_(session), out_(session.out()) {}

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
    std::vector<std::vector<std::string>> lines = {{}};
    const api::CostRow& first = rows_.front();
    if (first.day) lines[0].push_back("day");
    if (first.model) lines[0].push_back("model");
    if (first.project) lines[0].push_back("project");
    if (first.agent) lines[0].push_back("agent");
    const std::size_t names = lines[0].size();
    for (const char* title : {"answers", "input", "cache read", "cache write", "output", "cost"}) {
      lines[0].push_back(title);
    }
    for (const api::CostRow& row : rows_) lines.push_back(cells_of(row, names_of(row)));
    if (rows_.size() > 1) {
      std::vector<std::string> total(names);
      total[0] = "total";
      lines.push_back(cells_of(sum_, std::move(total)));
    }
    print_table(out_, lines, names);
    return {};
  }

 private:
  static std::vector<std::string> names_of(const api::CostRow& row) {
    std::vector<std::string> names;
    for (const auto& part : {row.day, row.model, row.project, row.agent}) {
      if (part) names.push_back(part->empty() ? "unknown" : visible_line(*part));
    }
    return names;
  }

  static std::vector<std::string> cells_of(const api::CostRow& row,
                                           std::vector<std::string> cells) {
    cells.push_back(grouped(row.answers));
    for (const std::uint64_t tokens :
         {row.input_tokens, row.cache_read_tokens, row.cache_write_tokens, row.output_tokens}) {
      cells.push_back(short_number(tokens));
    }
    cells.push_back(row.cost_usd ? short_cost(*row.cost_usd, row.is_complete) : "unknown");
    return cells;
  }

  Session& session_;
  Output& out_;
  std::vector<api::CostRow> rows_;
  api::CostRow sum_;
};

}  // namespace

extern const Command kCost = listing_command<api::kCost, CostView>();

}  // namespace spoor::cli
