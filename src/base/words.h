#pragma once

#include <optional>
#include <string_view>

// Words in tables: those by which programs see the values of an enum are kept in one table of
// pairs, such as `std::array<std::pair<Kind, std::string_view>, 2>`.
namespace spoor {

/// The word of `value`; empty when the table does not have it.
template <class Table, class Value>
constexpr std::string_view word_in(const Table& table, Value value) {
  for (const auto& [each, word] : table) {
    if (each == value) return word;
  }
  return {};
}

/// The value of `word`; nothing for a word that is none of the table's.
template <class Table>
constexpr auto value_in(const Table& table, std::string_view word)
    -> std::optional<typename Table::value_type::first_type> {
  for (const auto& [value, each] : table) {
    if (each == word) return value;
  }
  return std::nullopt;
}

/// Is `word` one of `words`?
template <class Words>
constexpr bool is_in(const Words& words, std::string_view word) {
  for (const auto& each : words) {
    if (each == word) return true;
  }
  return false;
}

}  // namespace spoor
