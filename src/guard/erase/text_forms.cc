#include "guard/erase/text_forms.h"

#include <algorithm>
#include <optional>

#include "base/json/reader.h"
#include "base/text.h"
#include "graph/call_text.h"
#include "guard/redact/rule_set.h"

namespace spoor::guard {
namespace {

constexpr std::size_t kLeastArgument = 24;
constexpr std::size_t kLeastInJson = 40;
constexpr std::size_t kLeastNumber = 6;
constexpr std::size_t kMostNumber = 64;
constexpr std::ptrdiff_t kLeastDigits = 4;
constexpr std::size_t kMostWords = 64;
constexpr std::string_view kArrow = "\u2192";
constexpr std::string_view kReminder = "<system-reminder>";

bool is_prose(std::string_view text, std::size_t least) {
  return text.size() >= least && text.find_first_of(" \n\t") != std::string_view::npos;
}

// Returns `the line` for `  12→the line`; nullopt for a line without such a number.
std::optional<std::string_view> without_number(std::string_view line) {
  const std::size_t digits = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t end = line.find_first_not_of("0123456789", digits);
  if (end == digits || end == std::string_view::npos) return std::nullopt;
  if (!line.substr(end).starts_with(kArrow)) return std::nullopt;
  return line.substr(end + kArrow.size());
}

// Returns an empty text if no line has a number.
std::string without_numbers(std::string_view text) {
  std::string out;
  bool has_any = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const auto rest = without_number(line);
    has_any = has_any || rest;
    out += rest.value_or(line);
    text.remove_prefix(end);
  }
  return has_any ? out : std::string();
}

void add_new(std::vector<std::string>& all, std::string text) {
  if (!text.empty() && std::find(all.begin(), all.end(), text) == all.end()) {
    all.push_back(std::move(text));
  }
}

void collect(const json::Value& value, bool is_in_list, std::vector<std::string>& texts) {
  if (value.is_string()) {
    const std::string text = value.text();
    const bool is_several = trimmed(text).find('\n') != std::string_view::npos;
    if (!is_prose(text, kLeastInJson) || (is_in_list && !is_several)) return;
    for (std::string& form : forms_of_text(text)) add_new(texts, std::move(form));
  }
  for (const json::Value& element : value.elements()) collect(element, true, texts);
  for (const json::Member& member : value.members()) collect(member.value, false, texts);
}

bool may_be_in_number(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.';
}

// Returns true for a number of a passport, an account, a customer: not a word with a digit, a date
// or a time.
bool is_number(std::string_view word) {
  const auto digits =
      std::count_if(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (word.size() < kLeastNumber || word.size() > kMostNumber || digits < kLeastDigits)
    return false;
  const bool is_date = word.size() >= 10 && word[4] == '-' && word[7] == '-' &&
                       word.substr(0, 4).find_first_not_of("0123456789") == std::string_view::npos;
  return !is_date;
}

}  // namespace

std::vector<std::string> forms_of_text(std::string_view text) {
  std::vector<std::string> forms;
  for (const std::string_view part : {text, text.substr(0, text.find(kReminder))}) {
    add_new(forms, std::string(part));
    add_new(forms, without_numbers(part));
  }
  return forms;
}

std::vector<std::string> texts_in(const compile::ToolCall& call) {
  std::vector<std::string> texts;
  const auto holds = [](std::string_view text) { return is_prose(text, kLeastArgument); };
  for (auto& said : graph::texts_that(call, holds)) texts.push_back(std::move(said.text));
  return texts;
}

std::vector<std::string> texts_in_json(std::string_view bytes) {
  std::vector<std::string> texts;
  const auto document = json::parse(bytes);
  if (document) collect(document->root(), false, texts);
  return texts;
}

Result<std::vector<std::string>> identifying_words(std::string_view text) {
  static const auto rules = RuleSet::with_builtin();
  if (!rules) return rules.error();
  std::vector<std::string> words;
  for (const Finding& finding : TRY(rules.value()->find(text))) {
    if (words.size() == kMostWords) return words;
    add_new(words, std::string(text.substr(finding.begin, finding.end - finding.begin)));
  }
  for (std::size_t begin = 0; begin < text.size() && words.size() < kMostWords;) {
    std::size_t end = begin;
    while (end < text.size() && may_be_in_number(text[end])) ++end;
    const std::string_view word = trimmed(text.substr(begin, end - begin), "-.");
    if (is_number(word)) add_new(words, std::string(word));
    begin = end + 1;
  }
  return words;
}

}  // namespace spoor::guard
