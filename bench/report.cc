#include "bench/report.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace spoor::bench {
namespace {

std::string target_text(const Row& row) {
  if (!row.target) return "-";
  return fmt::format("{} {:.3g}", row.want == Row::Want::at_least ? "≥" : "≤", *row.target);
}

}  // namespace

void print_table(const std::vector<Row>& rows) {
  fmt::print("\n{:<44} {:>12} {:<10} {:>12} {:>8} {:>8}  {}\n", "figure", "ours", "unit", "floor",
             "ratio", "target", "met");
  int missed = 0;
  for (const Row& row : rows) {
    const char* met = !row.target ? "" : row.is_met() ? "yes" : "NO";
    if (!row.is_met()) ++missed;
    fmt::print("{:<44} {:>12.4g} {:<10} {:>12.4g} {:>8.3g} {:>8}  {}\n", row.name, row.value,
               row.unit, row.floor, row.ratio, target_text(row), met);
    if (!row.note.empty()) fmt::print("    {}\n", row.note);
  }
  fmt::print("\n{} figures, {} missed\n", rows.size(), missed);
}

void print_json(const std::vector<Row>& rows) {
  auto list = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json entry = {{"name", row.name},   {"value", row.value}, {"unit", row.unit},
                            {"floor", row.floor}, {"ratio", row.ratio}, {"met", row.is_met()}};
    entry["target"] = row.target ? nlohmann::json(target_text(row)) : nlohmann::json();
    entry["note"] = row.note;
    entry["part"] = row.part;
    list.push_back(std::move(entry));
  }
  fmt::print("{}\n", list.dump(2));
}

}  // namespace spoor::bench
