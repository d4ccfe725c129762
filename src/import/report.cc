#include "import/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace spoor::import {
namespace {

void add_counts(LossReport::Counts& to, const LossReport::Counts& from) {
  for (const auto& [name, count] : from) to[name] += count;
}

void add_ref(std::vector<ImportedRef>& refs, const ImportedRef& ref) {
  const auto place =
      std::lower_bound(refs.begin(), refs.end(), ref.name,
                       [](const ImportedRef& a, const std::string& name) { return a.name < name; });
  if (place == refs.end() || place->name != ref.name) {
    refs.insert(place, ref);
    return;
  }
  place->target = ref.target;
  place->moved = place->moved || ref.moved;
}

}  // namespace

std::string Remark::message() const {
  if (line == 0) return fmt::format("{}: {}", source, text);
  return fmt::format("{}:{}: {}", source, line, text);
}

void LossReport::remark(Remark remark) {
  (remark.kind == Remark::Kind::unreadable ? unreadable : oddities) += 1;
  if (remarks.size() < kMaxRemarks) remarks.push_back(std::move(remark));
}

void LossReport::pass_over(std::string file) {
  passed_over += 1;
  if (passed_over_files.size() < kMaxPassedOver) passed_over_files.push_back(std::move(file));
}

void LossReport::add(const LossReport& other) {
  sources += other.sources;
  passed_over += other.passed_over - other.passed_over_files.size();
  for (const std::string& file : other.passed_over_files) pass_over(file);
  bytes += other.bytes;
  records += other.records;
  turn_records += other.turn_records;
  add_counts(turns, other.turns);
  add_counts(kept, other.kept);
  add_counts(duplicates, other.duplicates);
  add_counts(unknown, other.unknown);
  add_counts(attached, other.attached);
  add_counts(repeated_facts, other.repeated_facts);
  add_counts(odd_blocks, other.odd_blocks);
  met_turns += other.met_turns;
  new_turns += other.new_turns;
  new_notes += other.new_notes;
  erased += other.erased;
  unreadable += other.unreadable;
  torn += other.torn;
  oddities += other.oddities;
  missing_parents += other.missing_parents;
  for (const Remark& one : other.remarks) {
    if (remarks.size() < kMaxRemarks) remarks.push_back(one);
  }
  for (const ImportedRef& ref : other.refs) add_ref(refs, ref);
  if (!other.main_ref.empty()) main_ref = other.main_ref;
}

std::uint64_t total(const LossReport::Counts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

}  // namespace spoor::import
