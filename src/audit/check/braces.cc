#include "audit/check/braces.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace spoor::audit::check {
namespace {

constexpr std::size_t kMostWords = 1'024;
constexpr std::size_t kMostBytes = 16'384;  // Of the word.
constexpr std::size_t kMostLooks = 64;      // At braces that may close.
constexpr std::size_t kNone = std::string_view::npos;

// A word of which some bytes are expanded yet.
struct Text {
  std::string bytes;
  std::vector<bool> is_plain;

  void append(const Text& from, std::size_t begin, std::size_t end) {
    bytes.append(from.bytes, begin, end - begin);
    const auto first = from.is_plain.begin();
    is_plain.insert(is_plain.end(), first + static_cast<std::ptrdiff_t>(begin),
                    first + static_cast<std::ptrdiff_t>(end));
  }
};

// The first pair of braces with something to expand in it.
struct Pair {
  std::size_t open = kNone;
  std::size_t close = kNone;
  std::vector<std::size_t> commas;
};

Pair pair_from(const Text& text, std::size_t open) {
  Pair pair;
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.bytes.size(); ++i) {
    if (!text.is_plain[i]) continue;
    if (text.bytes[i] == '{') ++depth;
    if (text.bytes[i] == ',' && depth == 1) pair.commas.push_back(i);
    if (text.bytes[i] == '}' && --depth == 0) {
      pair.open = open;
      pair.close = i;
      return pair;
    }
  }
  return {};
}

bool is_range(const Text& text, const Pair& pair) {
  const std::string_view inside =
      std::string_view(text.bytes).substr(pair.open + 1, pair.close - pair.open - 1);
  return pair.commas.empty() && inside.find("..") != kNone;
}

}  // namespace

std::vector<std::string> expand_braces(std::string_view word,
                                       const std::vector<std::size_t>& plain) {
  if (word.size() > kMostBytes) return {};
  Text first{std::string(word), std::vector<bool>(word.size(), false)};
  for (const std::size_t at : plain) first.is_plain[at] = true;
  std::vector<std::string> made;
  std::vector<Text> waiting;  // The next one is the last.
  waiting.push_back(std::move(first));
  while (!waiting.empty()) {
    if (made.size() + waiting.size() > kMostWords) return {};
    Text text = std::move(waiting.back());
    waiting.pop_back();
    Pair pair;
    std::size_t looked_at = 0;
    for (std::size_t i = 0; i < text.bytes.size() && pair.open == kNone; ++i) {
      if (!text.is_plain[i] || text.bytes[i] != '{') continue;
      if (++looked_at > kMostLooks) return {};
      pair = pair_from(text, i);
      if (pair.open != kNone && pair.commas.empty() && !is_range(text, pair)) pair = {};
    }
    if (pair.open == kNone) {
      made.push_back(std::move(text.bytes));
      continue;
    }
    if (pair.commas.empty()) {
      Text one;
      one.append(text, 0, pair.open);
      one.bytes += '*';
      one.is_plain.push_back(false);
      one.append(text, pair.close + 1, text.bytes.size());
      waiting.push_back(std::move(one));
      continue;
    }
    pair.commas.push_back(pair.close);
    std::vector<Text> parts;
    std::size_t begin = pair.open + 1;
    for (const std::size_t end : pair.commas) {
      Text one;
      one.append(text, 0, pair.open);
      one.append(text, begin, end);
      one.append(text, pair.close + 1, text.bytes.size());
      parts.push_back(std::move(one));
      begin = end + 1;
    }
    std::move(parts.rbegin(), parts.rend(), std::back_inserter(waiting));
  }
  return made;
}

}  // namespace spoor::audit::check
