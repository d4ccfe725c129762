#include "report/debrief/json_members.h"

#include <algorithm>

namespace spoor::report::debrief {

using json::kMaxExactInteger;

void add_text(Object& to, std::string_view key, std::string_view text) {
  text.empty() ? to.add_json(key, kNull) : to.add_string(key, text);
}

void add_count(Object& to, std::string_view key, const std::optional<std::uint64_t>& count) {
  if (!count) return to.add_json(key, kNull);
  const auto most = static_cast<std::uint64_t>(kMaxExactInteger);
  to.add_integer(key, static_cast<std::int64_t>(std::min(*count, most)));
}

void add_integer(Object& to, std::string_view key, const std::optional<std::int64_t>& number) {
  if (!number) return to.add_json(key, kNull);
  to.add_integer(key, std::clamp(*number, -kMaxExactInteger, kMaxExactInteger));
}

void add_oid(Object& to, std::string_view key, const std::optional<store::Oid>& oid) {
  oid ? to.add_string(key, oid->hex()) : to.add_json(key, kNull);
}

void add_time(Object& to, std::string_view key, const std::optional<Timestamp>& time) {
  time ? to.add_string(key, time->text()) : to.add_json(key, kNull);
}

void add_money(Object& to, std::string_view key, const std::optional<llm::Money>& money) {
  money ? to.add_raw_token(key, llm::dollars(*money)) : to.add_json(key, kNull);
}

}  // namespace spoor::report::debrief
