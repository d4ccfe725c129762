#include "api/turns/found_turns.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "graph/text_search.h"
#include "store/sqlite/word_finder.h"

namespace spoor::api {
namespace {

using graph::TextQuery;

bool is(std::string_view word, const TextQuery::Word& wanted) {
  if (word.size() < wanted.text.size()) return false;
  if (word.size() > wanted.text.size() && !wanted.is_prefix) return false;
  return std::equal(wanted.text.begin(), wanted.text.end(), word.begin(),
                    [](char a, char b) { return a == lower(b); });
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

// Returns the matches of a query's words in an ASCII text.
std::vector<Match> word_matches(std::string_view text, const TextQuery& query) {
  std::vector<Match> matches;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && graph::is_word_byte(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool is_wanted =
        !word.empty() && std::any_of(query.words.begin(), query.words.end(),
                                     [word](const auto& wanted) { return is(word, wanted); });
    if (is_wanted) matches.push_back({at, word.size()});
    at = std::max(end, at + 1);
  }
  return matches;
}

// Marks the words of a query. For text beyond ASCII, the index's own tokenizer decides which
// letters are equal and which characters separate words.
class WordMarker {
 public:
  explicit WordMarker(const TextQuery& query) : query_(query) {
    for (const TextQuery::Word& word : query.words) {
      any_.append(any_.empty() ? "\"" : " OR \"").append(word.text);
      any_.append(word.is_prefix ? "\"*" : "\"");
      in_ascii_ = in_ascii_ && is_ascii(word.text);
    }
  }

  Result<std::vector<Match>> matches(std::string_view text) {
    if (in_ascii_ && is_ascii(text)) return word_matches(text, query_);
    if (!finder_) finder_ = TRY(store::WordFinder::make());
    std::vector<Match> found;
    for (const auto& place : TRY(finder_->find(any_, text))) {
      found.push_back({place.begin, place.size});
    }
    return found;
  }

 private:
  const TextQuery& query_;
  std::string any_;  // An expression that matches any of the words.
  bool in_ascii_ = true;
  std::unique_ptr<store::WordFinder> finder_;
};

}  // namespace

Result<void> find_turns(const Workspace& workspace, TurnSearch search,
                        const std::function<bool(const TurnView&, const Matcher&)>& visit) {
  if (!search.is_query) {
    search.where.text = search.text;
    search.where.by_time = true;
    const Matcher matcher = [&](std::string_view text) { return matches_of(text, search.text); };
    return walk(workspace, search.where,
                [&](const HistoryStep& step) { return visit(step.view, matcher); });
  }
  const TextQuery query = TRY(graph::parse_text_query(search.text));
  const auto index = TRY(workspace.repository().store().search_index());
  const auto found = TRY(graph::match_commits(workspace.repository(), *index, query,
                                              {search.where.tips, search.where.without}));
  WordMarker marker(query);
  std::optional<Error> failure;
  const Matcher matcher = [&](std::string_view text) {
    auto matches = marker.matches(text);
    if (matches) return std::move(matches).value();
    failure = matches.error();
    return std::vector<Match>();
  };
  TRY(each_selected(workspace, search.where, found,
                    [&](const TurnView& view) { return visit(view, matcher) && !failure; }));
  if (failure) return *failure;
  return {};
}

void write_found(JsonWriter& json, const TurnView& view, const Matcher& matcher,
                 const std::vector<std::string>& refs) {
  json.object().member("hash", view.oid).member("depth", view.commit->depth);
  json.member("type", view.kind());
  json.member("time", view.commit->time).member_or_null("author", view.commit->author);
  json.member("message", view.summary()).list("refs");
  for (const std::string& name : refs) json.value(name);
  json.end().key("matches");
  write_matches(json, view.text_or_empty(), matcher(view.text_or_empty()));
  write_call_matches(json, view.calls(), matcher);
  json.end();
}

}  // namespace spoor::api
