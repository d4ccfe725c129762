#include "store/value_reader.h"

#include <fmt/format.h>

namespace spoor::store {

std::optional<Oid> ValueReader::oid(std::string_view key) {
  const auto value = lines_.take(key);
  if (!value) return std::nullopt;
  const auto oid = Oid::from_hex(*value);
  if (!oid) fail(key);
  return oid;
}

std::vector<Oid> ValueReader::oids(std::string_view key) {
  std::vector<Oid> all;
  while (const auto next = oid(key)) all.push_back(*next);
  return all;
}

std::optional<Timestamp> ValueReader::time(std::string_view key) {
  const auto value = lines_.take(key);
  if (!value) return std::nullopt;
  const auto time = parse_stored_time(*value);
  if (!time) return fail(key), std::nullopt;
  return *time;
}

Oid ValueReader::needed_oid(std::string_view key) {
  const auto value = oid(key);
  if (!value) fail(key);
  return value.value_or(Oid{});
}

std::uint64_t ValueReader::needed_integer(std::string_view key) {
  const auto value = lines_.take(key);
  const auto number = value ? parse_integer(*value) : std::nullopt;
  if (!number) fail(key);
  return number.value_or(0);
}

Timestamp ValueReader::needed_time(std::string_view key) {
  const auto value = time(key);
  if (!value) fail(key);
  return value.value_or(Timestamp{});
}

void ValueReader::fail(std::string_view key) {
  if (bad_.empty()) bad_ = key;
}

std::string ValueReader::problem() const {
  if (!bad_.empty()) return fmt::format("line '{}' is malformed or missing", bad_);
  if (!lines_.finished()) {
    return fmt::format("line '{:.16}' is unknown, repeated, misplaced or cut", lines_.next_key());
  }
  return {};
}

}  // namespace spoor::store
