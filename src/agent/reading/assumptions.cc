#include "agent/reading/assumptions.h"

#include <algorithm>
#include <array>

#include "agent/rationale.h"
#include "base/text.h"
#include "base/utf8.h"

namespace spoor::agent::reading {
namespace {

constexpr std::string_view kBlank = " \t";

bool begins_with(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text.substr(0, lower_case.size()), lower_case, {}, lower);
}

std::size_t skip(std::string_view text, std::size_t at, std::string_view set) {
  return std::min(text.find_first_not_of(set, at), text.size());
}

// Matches letters of scripts with capitals: Latin, Greek, Cyrillic, Armenian.
bool is_letter(char32_t code) {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
         (code >= 0xc0 && code <= 0x24f && code != 0xd7 && code != 0xf7) ||
         (code >= 0x370 && code <= 0x587);
}

bool is_capital(char32_t code) {
  return (code >= 'A' && code <= 'Z') || (code >= 0xc0 && code <= 0xde && code != 0xd7) ||
         (code >= 0x391 && code <= 0x3a9) || (code >= 0x400 && code <= 0x42f);
}

bool is_in_word(char32_t code) {
  return is_letter(code) || (code >= '0' && code <= '9') || code == '_';
}

bool is_word_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_in_word(decode_utf8(text.substr(at)).code);
}

// Reports whether a word ends right before `at`.
bool is_word_before(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && at - begin < 4) {
    --begin;
    const CodePoint code = decode_utf8(text.substr(begin, at - begin));
    if (code.valid && code.length == at - begin) return is_in_word(code.code);
  }
  return false;
}

// Returns the end of the word at `at` if it is `word`; else `at`.
std::size_t behind_word(std::string_view text, std::size_t at, std::string_view word) {
  if (!begins_with(text.substr(std::min(at, text.size())), word)) return at;
  return is_word_at(text, at + word.size()) ? at : at + word.size();
}

// As behind_word(), for the next word on this line, after white space.
std::size_t behind_next_word(std::string_view text, std::size_t at, std::string_view word) {
  const std::size_t begin = skip(text, at, kBlank);
  const std::size_t end = begin == at ? begin : behind_word(text, begin, word);
  return end == begin ? at : end;
}

struct Subject {
  std::string_view pronoun, verb;
  std::array<std::string_view, 2> contractions;  // With either apostrophe.
};
constexpr std::array<Subject, 2> kSubjects = {Subject{"i", "am", {"i'm", "i\u2019m"}},
                                              Subject{"we", "are", {"we're", "we\u2019re"}}};

// Returns the end of the marker that begins at `at`; `at` if there is none.
std::size_t behind_marker(std::string_view text, std::size_t at) {
  if (is_word_before(text, at)) return at;
  for (const Subject& subject : kSubjects) {
    for (const std::string_view contraction : subject.contractions) {
      const std::size_t end = behind_word(text, at, contraction);
      if (end == at) continue;
      const std::size_t verb = behind_next_word(text, end, "assuming");
      return verb == end ? at : verb;
    }
    const std::size_t end = behind_word(text, at, subject.pronoun);
    if (end == at) continue;
    const std::size_t verb = behind_next_word(text, end, "assume");
    if (verb != end) return verb;
    const std::size_t auxiliary = behind_next_word(text, end, subject.verb);
    const std::size_t participle = behind_next_word(text, auxiliary, "assuming");
    return auxiliary == end || participle == auxiliary ? at : participle;
  }
  return at;
}

// Reports whether the full stop at `at` ends a sentence.
bool ends_with_stop(std::string_view text, std::size_t at) {
  std::size_t next = at + 1;
  for (std::size_t closed = next; closed <= text.size(); next = closed) {
    closed = skip(text, next, "\"')]*_");
    for (const std::string_view quote : {"\u201d", "\u2019"}) {
      if (text.substr(closed).starts_with(quote)) closed += quote.size();
    }
    if (closed == next) break;
  }
  const std::size_t behind = skip(text, next, kBlank);
  if (behind == text.size() || text[behind] == '\n' || text[behind] == '\r') return true;
  return behind != next && is_capital(decode_utf8(text.substr(behind)).code);
}

// Returns the position that ends the sentence containing `at`.
std::size_t sentence_end(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '!' || c == '?') return at;
    if (c == '.' && ends_with_stop(text, at)) return at;
    if (c != '\n') continue;
    const std::size_t next = skip(text, at + 1, kBlank);
    if (behind_word(text, next, "because") == next) return at;
  }
  return at;
}

// Returns the position of `because` in a sentence; its size if there is none.
std::size_t find_because(std::string_view sentence) {
  for (std::size_t at = sentence.find_first_of("bB"); at != std::string_view::npos;
       at = sentence.find_first_of("bB", at + 1)) {
    if (behind_word(sentence, at, "because") != at && !is_word_before(sentence, at)) return at;
  }
  return sentence.size();
}

// Strips from a part of a sentence the marks that join it to the others.
std::string_view bare(std::string_view text) {
  constexpr std::string_view kOpening =
      "*:,";  // Only before white space: `*.txt` is part of a claim.
  constexpr std::string_view kClosing = " \t\r\n\f\v*:,;.-";
  const std::size_t opening = skip(text, 0, kOpening);
  if (skip(text, opening, kWhiteSpace) > opening) text.remove_prefix(opening);
  text.remove_prefix(skip(text, 0, kWhiteSpace));
  constexpr std::array<std::string_view, 2> kDashes = {"\u2013", "\u2014"};
  while (true) {
    text = text.substr(0, text.find_last_not_of(kClosing) + 1);
    const auto dash = std::ranges::find_if(
        kDashes, [&](std::string_view candidate) { return text.ends_with(candidate); });
    if (dash == kDashes.end()) return text;
    text.remove_suffix(dash->size());
  }
}

// Reports whether a text states something that can be true or false.
bool is_claim(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTaken = {
      "responsibility", "responsibilities", "control", "command", "liability", "ownership"};
  for (const std::string_view word : kTaken) {
    if (behind_word(text, 0, word) != 0) return false;
  }
  return std::ranges::any_of(text, [](char c) {
    return is_in_word(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80;
  });
}

void add(std::string_view sentence, std::vector<Assumption>& all) {
  const std::size_t because = find_because(sentence);
  std::string_view claim = bare(sentence.substr(0, because));
  claim.remove_prefix(behind_word(claim, 0, "that"));
  claim = bare(claim);
  if (!is_claim(claim)) return;

  Assumption found;
  found.assumption = first_code_points(claim, kMaxAssumption);
  const bool is_known = std::ranges::any_of(
      all, [&](const Assumption& other) { return other.assumption == found.assumption; });
  if (is_known) return;
  constexpr std::size_t kBecause = 7;
  const std::string_view why =
      because == sentence.size() ? std::string_view() : bare(sentence.substr(because + kBecause));
  if (!why.empty()) found.why = first_code_points(why, kMaxWhy);
  all.push_back(std::move(found));
}

void read_into(std::string_view text, std::vector<Assumption>& all) {
  std::size_t at = 0;
  while (all.size() < kMaxAssumptions &&
         (at = text.find_first_of("iIwW", at)) != std::string_view::npos) {
    const std::size_t begin = behind_marker(text, at);
    if (begin == at) {
      ++at;
      continue;
    }
    at = sentence_end(text, begin);
    const bool asks = at < text.size() && text[at] == '?';
    if (!asks) add(text.substr(begin, at - begin), all);
  }
}

}  // namespace

std::vector<Assumption> read_assumptions(std::string_view text, std::string_view thinking) {
  std::vector<Assumption> all;
  read_into(text, all);
  read_into(thinking, all);
  return all;
}

}  // namespace spoor::agent::reading
