#include "agent/builtin/glob.h"

#include <algorithm>
#include <vector>

namespace spoor::agent::builtin {

// Backtracks only to the last star: earlier stars never need to match more.
bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t after_star = 0;  // The end of the last star's match in `name`.
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++after_star;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

namespace {

std::vector<std::string_view> names_of(std::string_view path) {
  std::vector<std::string_view> names;
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0 && path.substr(0, end) != ".") names.push_back(path.substr(0, end));
    if (end == path.size()) return names;
    path.remove_prefix(end + 1);
  }
}

}  // namespace

bool matches_path(std::string_view pattern, std::string_view path) {
  const std::vector<std::string_view> names = names_of(path);
  if (names.empty()) return false;
  if (pattern.find('/') == std::string_view::npos && pattern != "**") {
    return matches_glob(pattern, names.back());
  }
  const std::vector<std::string_view> parts = names_of(pattern);
  // can[i]: the parts so far match the first i names.
  std::vector<bool> can(names.size() + 1);
  can[0] = true;
  for (const std::string_view part : parts) {
    std::vector<bool> next(can.size());
    for (std::size_t i = 0; i < can.size(); ++i) {
      if (part == "**") {
        next[i] = can[i] || (i > 0 && next[i - 1]);
      } else {
        next[i] = i > 0 && can[i - 1] && matches_glob(part, names[i - 1]);
      }
    }
    can = std::move(next);
  }
  return can.back();
}

bool matches_globs(std::string_view patterns, std::string_view path, std::string_view name) {
  while (true) {
    const std::size_t end = std::min(patterns.find(','), patterns.size());
    const std::string_view pattern = patterns.substr(0, end);
    const bool is_of_path = pattern.find('/') != std::string_view::npos;
    if (matches_glob(pattern, is_of_path ? path : name)) return true;
    if (end == patterns.size()) return false;
    patterns.remove_prefix(end + 1);
  }
}

}  // namespace spoor::agent::builtin
