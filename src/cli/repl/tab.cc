#include "cli/repl/tab.h"

#include <algorithm>

#include "base/utf8.h"
#include "cli/help/complete.h"
#include "cli/repl/candidate_list.h"
#include "cli/repl/path_candidates.h"
#include "cli/repl/words.h"
#include "cli/terminal/untrusted.h"

namespace spoor::cli {
namespace {

// The command being typed: its words up to the cursor, of which the last may be empty, and the
// offset of that one in the line.
struct Unfinished {
  std::vector<std::string> words;
  std::size_t last_begin = 0;
};

Unfinished read_unfinished(std::string_view line, std::size_t cursor) {
  std::size_t at = 0;
  Words split = split_words(line.substr(0, cursor));
  while (at + split.end < cursor) {  // An earlier line of the same input.
    at += split.end + 1;
    split = split_words(line.substr(at, cursor - at));
  }
  Unfinished typed;
  for (const Word& word : split.words) typed.words.push_back(word.text);
  typed.last_begin = at + (split.words.empty() ? split.end : split.words.back().begin);
  if (!split.in_word) {
    typed.words.emplace_back();
    typed.last_begin = cursor;
  }
  if (typed.words.size() > 1 && typed.words.front() == "spoor") {
    typed.words.erase(typed.words.begin());
  }
  return typed;
}

std::string common_start(const std::vector<Candidate>& found) {
  std::string_view start = found.front().text;
  for (const Candidate& candidate : found) {
    const auto [end, other] =
        std::mismatch(start.begin(), start.end(), candidate.text.begin(), candidate.text.end());
    start = start.substr(0, static_cast<std::size_t>(end - start.begin()));
  }
  // Never cut a character.
  while (!start.empty() && !is_utf8(start)) start.remove_suffix(1);
  return std::string(start);
}

// Returns the only candidate as text for the line: more may follow a folder or `=`.
std::string finished(const std::string& text) {
  const bool goes_on = text.ends_with('/') || text.ends_with('=') || text.ends_with("..");
  return quoted_word(text) + (goes_on ? "" : " ");
}

bool has_model(Session& session) {
  const auto model = session.config().get("model");
  return model && !model.value().text.empty();
}

}  // namespace

Completion complete_line(Session& session, std::string_view line, std::size_t cursor) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t\n"), cursor);
  const bool has_slash = begin < cursor && line[begin] == '/';
  Completion made{cursor, {}, {}};
  if (has_model(session) && !has_slash) return made;  // A turn for the model has no completions.

  const std::size_t skipped = begin + (has_slash ? 1 : 0);
  const Unfinished typed = read_unfinished(line.substr(skipped), cursor - skipped);
  made.begin = skipped + typed.last_begin;
  made.text = line.substr(made.begin, cursor - made.begin);

  std::vector<Candidate> found = candidates(session, typed.words);
  if (!found.empty() && found.front().text == kPathMark)
    found = path_candidates(typed.words.back());
  std::erase_if(found, [](const Candidate& c) { return visible_line(c.text) != c.text; });
  if (found.empty()) return made;
  if (found.size() == 1) {
    made.text = finished(found.front().text);
    return made;
  }
  const std::string start = common_start(found);
  if (start.size() > typed.words.back().size() && quoted_word(start) == start) {
    made.text = start;
  } else {
    made.listing = list_candidates(session.out(), session.terminal().height(), found);
  }
  return made;
}

}  // namespace spoor::cli
