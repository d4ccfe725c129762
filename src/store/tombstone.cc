#include "store/tombstone.h"

#include <algorithm>
#include <functional>

#include "store/commit.h"
#include "store/value_reader.h"

namespace spoor::store {
namespace {

std::string broken_rule(const Tombstone& tombstone) {
  const auto& erased = tombstone.erased;
  if (erased.empty()) return "'erased' is missing";
  if (std::adjacent_find(erased.begin(), erased.end(), std::greater_equal<>()) != erased.end()) {
    return "'erased' is not in ascending order, or has a duplicate";
  }
  if (!is_author(tombstone.author)) return "'author' is malformed";
  if (tombstone.time.micros < 0 || tombstone.time.micros > kLastMicro) {
    return "'time' is out of range";
  }
  return {};
}

}  // namespace

Result<std::string> serialize(const Tombstone& tombstone) {
  if (const std::string broken = broken_rule(tombstone); !broken.empty()) {
    return invalid("invalid tombstone: " + broken, "see docs/format.md");
  }
  std::string out;
  for (const Oid& oid : tombstone.erased) append_line(out, "erased", oid);
  if (tombstone.reason) append_line(out, "reason", *tombstone.reason);
  append_line(out, "author", tombstone.author);
  append_line(out, "time", tombstone.time.text());
  return out;
}

Result<Tombstone> parse_tombstone(std::string_view body) {
  ValueReader lines(body);
  Tombstone tombstone;
  tombstone.erased = lines.oids("erased");
  tombstone.reason = lines.oid("reason");
  tombstone.author = lines.text("author");
  tombstone.time = lines.needed_time("time");

  std::string problem = lines.problem();
  if (problem.empty()) problem = broken_rule(tombstone);
  if (!problem.empty())
    return corrupt("a tombstone is malformed: " + problem, "run 'spoor store fsck'");
  return tombstone;
}

}  // namespace spoor::store
