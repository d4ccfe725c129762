#include "guard/redact/dummies.h"

#include <algorithm>
#include <array>
#include <string>

namespace spoor::guard {
namespace {

// In small letters, without separators between words.
constexpr std::array<std::string_view, 28> kDummyWords = {
    "example",     "placeholder", "changeme",    "changethis", "changeit",   "replaceme",
    "replacewith", "replacethis", "insertyour",  "putyour",    "enteryour",  "addyour",
    "yourapi",     "yourkey",     "yoursecret",  "yourtoken",  "youraccess", "yourauth",
    "yourclient",  "yourpassw",   "yourprivate", "notareal",   "notasecret", "redacted",
    "dummy",       "keyhere",     "tokenhere",   "secrethere"};

constexpr std::array<std::string_view, 4> kCutMarks = {"...", "\u2026", "***",
                                                       "\u2022\u2022\u2022"};

// The brackets around a name to be filled in.
struct Brackets {
  std::string_view open;
  std::string_view close;
};
constexpr std::array<Brackets, 8> kTemplates = {{{"${", "}"},
                                                 {"$(", ")"},
                                                 {"{{", "}}"},
                                                 {"<", ">"},
                                                 {"%", "%"},
                                                 {"@", "@"},
                                                 {"{", "}"},
                                                 {"[", "]"}}};

constexpr std::array<std::string_view, 3> kKeyboard = {"qwertyuiop", "asdfghjkl", "zxcvbnm"};

constexpr std::size_t kLongRun = 4;         // of one character: counts towards half of a text
constexpr std::size_t kBlankRun = 8;        // of a character that only replaces others
constexpr std::size_t kMostPeriod = 8;      // length of a repeated part
constexpr std::size_t kLeastPeriodic = 16;  // characters that it covers
constexpr std::size_t kLeastSequence = 20;  // abcdef…, 012345…
constexpr std::size_t kLeastNeighbours = 6;

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
char as_small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_alpha(char c) { return as_small(c) >= 'a' && as_small(c) <= 'z'; }
bool may_be_in_name(char c) { return is_alpha(c) || is_decimal(c) || c == '_'; }

bool is_template(std::string_view text) {
  if (text.size() > 1 && text.front() == '$' &&
      std::all_of(text.begin() + 1, text.end(), may_be_in_name)) {
    return std::any_of(text.begin() + 1, text.end(), is_alpha);
  }
  return std::any_of(kTemplates.begin(), kTemplates.end(), [text](const Brackets& brackets) {
    return text.size() > brackets.open.size() + brackets.close.size() &&
           text.starts_with(brackets.open) && text.ends_with(brackets.close);
  });
}

bool says_so(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (is_alpha(c)) {
      letters += as_small(c);
    } else if (c != '_' && c != '-' && c != '.' && c != ' ') {
      letters += c;
    }
  }
  return std::any_of(kDummyWords.begin(), kDummyWords.end(), [&](std::string_view word) {
    return letters.find(word) != std::string::npos;
  });
}

bool is_cut_short(std::string_view text) {
  return std::any_of(kCutMarks.begin(), kCutMarks.end(), [text](std::string_view cut) {
    return text.find(cut) != std::string_view::npos;
  });
}

// Returns true if runs of one character cover enough of the text.
bool is_runs(std::string_view text) {
  std::size_t covered = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] == text[begin]) ++end;
    const std::size_t length = end - begin;
    const bool is_blank = std::string_view("xX*#0?_").find(text[begin]) != std::string_view::npos;
    if (is_blank && length >= kBlankRun) return true;
    if (length >= kLongRun) covered += length;
    begin = end;
  }
  return 2 * covered >= text.size();
}

// Returns true if a few characters repeat in two thirds of the text.
bool is_periodic(std::string_view text) {
  const std::size_t least = std::max(kLeastPeriodic, (2 * text.size() + 2) / 3);
  for (std::size_t period = 2; period <= kMostPeriod; ++period) {
    std::size_t length = period;
    for (std::size_t i = period; i < text.size(); ++i) {
      length = text[i] == text[i - period] ? length + 1 : period;
      if (length >= least) return true;
    }
  }
  return false;
}

// Returns true for letters or digits in order; 0 follows 9.
bool is_sequence(std::string_view text) {
  std::size_t length = 1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char before = text[i - 1];
    const bool both =
        (is_decimal(before) && is_decimal(text[i])) || (is_alpha(before) && is_alpha(text[i]));
    const bool follows = both && (text[i] == before + 1 || (before == '9' && text[i] == '0'));
    length = follows ? length + 1 : 1;
    if (length >= kLeastSequence) return true;
  }
  return false;
}

bool are_neighbours(char left, char right) {
  return std::any_of(kKeyboard.begin(), kKeyboard.end(), [&](std::string_view row) {
    const std::size_t at = row.find(as_small(left));
    return at != std::string_view::npos && at + 1 < row.size() && row[at + 1] == as_small(right);
  });
}

bool is_typed(std::string_view text) {
  std::size_t covered = 0;
  std::size_t length = 1;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    if (i < text.size() && are_neighbours(text[i - 1], text[i])) {
      ++length;
      continue;
    }
    if (length >= kLeastNeighbours) covered += length;
    length = 1;
  }
  return 2 * covered >= text.size();
}

}  // namespace

bool is_dummy(std::string_view text) {
  if (text.empty()) return true;
  return is_template(text) || is_cut_short(text) || says_so(text) || is_runs(text) ||
         is_periodic(text) || is_sequence(text) || is_typed(text);
}

}  // namespace spoor::guard
