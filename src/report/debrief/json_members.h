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

/// Members of the JSON documents about runs: an unknown value is null. A number is at most the
/// largest that JSON represents exactly.
namespace spoor::report::debrief {

using json::Object;

constexpr const char* kNull = "null";

/// Adds a text; an empty one is unknown.
void add_text(Object& to, std::string_view key, std::string_view text);
void add_count(Object& to, std::string_view key, const std::optional<std::uint64_t>& count);
void add_integer(Object& to, std::string_view key, const std::optional<std::int64_t>& number);
void add_oid(Object& to, std::string_view key, const std::optional<store::Oid>& oid);
void add_time(Object& to, std::string_view key, const std::optional<Timestamp>& time);
void add_money(Object& to, std::string_view key, const std::optional<llm::Money>& money);

/// Adds a list whose elements are written by `write`. If elements were left out, adds their
/// position and number to `left_out`.
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
