#pragma once

#include <optional>
#include <string_view>

// Lookups of words in tables. The words that programs see for the values of an enum are in one
// table of pairs, such as `std::array<std::pair<Kind, std::string_view>, 2>`.
namespace spoor {

/// Returns the word of `value`; empty if the table does not contain it.
template <class Table, class Value>
constexpr std::string_view word_in(const Table& table, Value value) {
  for (const auto& [each, word] : table) {
    if (each == value) return word;
  }
  return {};
}

/// Returns the value of `word`; nullopt if the table does not contain it.
template <class Table>
constexpr auto value_in(const Table& table, std::string_view word)
    -> std::optional<typename Table::value_type::first_type> {
  for (const auto& [value, each] : table) {
    if (each == word) return value;
  }
  return std::nullopt;
}

/// Returns whether `word` is one of `words`.
template <class Words>
constexpr bool is_in(const Words& words, std::string_view word) {
  for (const auto& each : words) {
    if (each == word) return true;
  }
  return false;
}

}  // namespace spoor
