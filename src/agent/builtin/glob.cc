#include "agent/builtin/glob.h"

#include <algorithm>

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
