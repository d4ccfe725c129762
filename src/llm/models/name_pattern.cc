#include "llm/models/name_pattern.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace spoor::llm {
namespace {

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Returns true if `text` matches `pattern`, in which `*` is any text. Backtracking to the last `*`
// suffices.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::optional<std::pair<std::size_t, std::size_t>> star;  // After `*`; the end of its text.
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = {++p, t};
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star) {
      p = star->first;
      t = ++star->second;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

std::string_view undated(std::string_view model) {
  const auto ends_in_date = [model](std::size_t size) {
    return model.size() > size && model[model.size() - size] == '-';
  };
  if (ends_in_date(9)) {  // -20260929
    const std::string_view date = model.substr(model.size() - 8);
    if (is_digits(date) && date.starts_with("20")) return model.substr(0, model.size() - 9);
  }
  if (ends_in_date(11)) {  // -2026-09-29
    const std::string_view date = model.substr(model.size() - 10);
    if (is_digits(date.substr(0, 4)) && date[4] == '-' && is_digits(date.substr(5, 2)) &&
        date[7] == '-' && is_digits(date.substr(8))) {
      return model.substr(0, model.size() - 11);
    }
  }
  return model;
}

bool fits_name(std::string_view pattern, std::string_view model) {
  return fits(pattern, model) || fits(pattern, undated(model));
}

std::size_t pattern_length(std::string_view pattern) {
  return pattern.size() - static_cast<std::size_t>(std::ranges::count(pattern, '*'));
}

}  // namespace spoor::llm
