#include "guard/check/shell.h"

#include <algorithm>

namespace spoor::guard::check {
namespace {

constexpr std::size_t kMostWords = 64;
constexpr std::ptrdiff_t kMostBraces = 16;

// Returns the ends of the parts of the braces that open at `begin`: their commas and the closing
// brace. Empty if they are not closed or have no comma: then they are plain characters.
std::vector<std::size_t> ends_of_parts(std::string_view marked, std::size_t begin) {
  std::vector<std::size_t> ends;
  std::size_t open = 0;
  for (std::size_t at = begin; at < marked.size(); ++at) {
    if (marked[at] == kOpenBrace) ++open;
    if (marked[at] == kBraceComma && open == 1) ends.push_back(at);
    if (marked[at] == kCloseBrace && --open == 0) {
      if (!ends.empty()) ends.push_back(at);
      return ends;
    }
  }
  return {};
}

// Returns false if there are too many.
bool add_expanded(const std::string& marked, std::vector<std::string>& to) {
  std::size_t begin = marked.find(kOpenBrace);
  for (; begin != std::string::npos; begin = marked.find(kOpenBrace, begin + 1)) {
    const std::vector<std::size_t> ends = ends_of_parts(marked, begin);
    std::size_t from = begin + 1;
    for (const std::size_t end : ends) {
      const std::string word = marked.substr(0, begin) + marked.substr(from, end - from) +
                               marked.substr(ends.back() + 1);
      if (!add_expanded(word, to)) return false;
      from = end + 1;
    }
    if (!ends.empty()) return true;
  }
  if (to.size() == kMostWords) return false;
  if (!marked.empty()) to.push_back(without_marks(marked));
  return true;
}

}  // namespace

std::string without_marks(std::string_view marked) {
  std::string text(marked);
  for (char& c : text) {
    if (c == kOpenBrace) c = '{';
    if (c == kBraceComma) c = ',';
    if (c == kCloseBrace) c = '}';
  }
  return text;
}

std::optional<std::vector<std::string>> expand_braces(std::string_view marked) {
  std::vector<std::string> words;
  if (std::count(marked.begin(), marked.end(), kOpenBrace) > kMostBraces) return std::nullopt;
  if (!add_expanded(std::string(marked), words)) return std::nullopt;
  return words;
}

}  // namespace spoor::guard::check
