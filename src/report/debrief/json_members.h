#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/writer.h"
#include "base/timestamp.h"
#include "llm/money.h"
#include "report/debrief/bounded_list.h"
#include "store/oid.h"

/// Members of the JSON documents that tell of runs: null stands for what is not known. A number is
/// at most what JSON writes exactly.
namespace spoor::report::debrief {

using json::Object;

constexpr const char* kNull = "null";

/// An empty text is not known.
void add_text(Object& to, std::string_view key, std::string_view text);
void add_count(Object& to, std::string_view key, const std::optional<std::uint64_t>& count);
void add_integer(Object& to, std::string_view key, const std::optional<std::int64_t>& number);
void add_oid(Object& to, std::string_view key, const std::optional<store::Oid>& oid);
void add_time(Object& to, std::string_view key, const std::optional<Timestamp>& time);
void add_money(Object& to, std::string_view key, const std::optional<llm::Money>& money);

/// A list, each element as `write` writes it, and in `left_out` where and how many were left out of
/// it, if any were.
template <class T, class Write>
void add_list(Object& to, Object& left_out, std::string_view key, const BoundedList<T>& list,
              const Write& write) {
  std::vector<std::string> values;
  list.visit([&](const T& entry) { values.push_back(write(entry)); },
             [&](std::uint64_t count) {
               Object gap;
               add_count(gap, "after", list.head().size());
               add_count(gap, "count", count);
               left_out.add_json(key, gap.write());
             });
  to.add_json(key, json::write_array(values));
}

}  // namespace spoor::report::debrief
