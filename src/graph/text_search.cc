#include "graph/text_search.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "graph/call_text.h"
#include "graph/searched_text.h"
#include "store/operation_walk.h"
#include "store/sha256.h"

namespace spoor::graph {

using compile::ToolCall;
using store::Commit;
using store::IndexPlace;

namespace {

constexpr std::size_t kBatch = 256;        // Commits whose texts are read at once.
constexpr std::size_t kOperations = 1024;  // Operations that are read at once.

// How much of the log an index includes: an operation, by number and name, and the number of
// erasures at that time.
struct Progress {
  std::uint64_t operation = 0;
  std::string name;
  std::uint64_t erasures = 0;

  std::string mark() const { return fmt::format("{} {} {}", operation, name, erasures); }
};

Result<std::uint64_t> erasures_of(const store::Store& store) {
  return TRY(store.properties({})).erasures;
}

// Returns the number of the operation in `mark`, if the log still has it and nothing was erased
// since; else 0.
Result<std::uint64_t> operations_known(const store::Store& store, const std::string& mark,
                                       std::uint64_t erasures) {
  std::uint64_t number = 0;
  for (const char c : mark.substr(0, mark.find(' '))) {
    if (c < '0' || c > '9') return 0U;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (number == 0) return 0U;
  const auto logged = TRY(store.operations(number - 1, 1));
  if (logged.empty() || logged.front().number != number) return 0U;
  const Progress same{number, logged.front().name.hex(), erasures};
  return same.mark() == mark ? number : 0U;
}

// A word put between two texts so that no phrase matches across them: private-use characters, which
// no query contains.
constexpr std::string_view kBreak = " \xee\x80\x80\xef\xa3\xbf\xee\x80\x80 ";

std::string words_of(const SearchedText& said) {
  std::string words = said.text ? *said.text : std::string();
  for (const ToolCall& call : said.calls) {
    words += kBreak;
    words += call.name;
    words += kBreak;
    words += plain_arguments(call);
  }
  return words;
}

// Returns one name for all commits with the same texts.
Oid name_of_words(const Commit& commit, const SearchedText& said) {
  if (said.calls.empty()) return commit.content->oid;
  const std::string content = said.text ? commit.content->oid.hex() : "";
  return store::sha256(content + " " + commit.fields->hex());
}

class Feeder {
 public:
  Feeder(const store::Reader& reader, store::SearchIndex& index) : reader_(reader), index_(index) {}

  // Indexes the target of a ref and its ancestors that are not indexed yet.
  Result<void> feed(const Oid& target) {
    if (TRY(index_.place_of(target))) return {};
    const auto tip = reader_.peel(target);
    if (!tip && tip.error().code == Error::Code::not_found) return {};  // gc removed it.
    const auto fed = feed_line({TRY(tip)});
    if (!fed && fed.error().code == Error::Code::not_found && !has_begun_) return {};  // No commit.
    TRY(fed);
    while (true) {
      if (commits_.size() >= kBatch) TRY(flush());
      if (open_.empty()) return {};
      const Open from = open_.back();
      open_.pop_back();
      TRY(feed_line(from));
    }
  }

  Result<void> flush() {
    const std::vector<SearchedText> said = TRY(searched_texts(reader_, commits_));
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (!said[i].text && said[i].calls.empty()) continue;
      const Oid name = name_of_words(*commits_[i].commit, said[i]);
      TRY(index_.add_text(commits_[i].oid, name, words_of(said[i])));
    }
    commits_.clear();
    return {};
  }

 private:
  // A commit whose chain is not read yet.
  struct Open {
    Oid from;
    std::int64_t line = 0;            // 0: it begins a new line, unless it is on one.
    std::optional<IndexPlace> child;  // The commit that led here; nullopt: a ref.
  };

  // Indexes the first-parent chain from a commit down to an indexed one, at most one batch per
  // call. A missing commit is an error: if the mark were moved past it, it would never be indexed
  // when it comes back.
  Result<void> feed_line(Open at) {
    has_begun_ = false;
    bool has_more = false;
    std::optional<Error> problem;
    const auto take = [&](const store::NamedCommit& named) {
      has_begun_ = true;
      const auto taken = take_commit(named, at);
      if (!taken) problem = taken.error();
      has_more = taken && *taken && !named.commit->parents.empty();
      return taken && *taken;
    };
    auto read = reader_.run(at.from, kBatch, take, store::Reader::Keep::nothing);
    if (problem) return *problem;
    if (read && has_more) open_.push_back(at);
    return read;
  }

  // Indexes one commit of a chain and moves `at` to its parent. False if it is indexed already.
  Result<bool> take_commit(const store::NamedCommit& named, Open& at) {
    const Commit& commit = *named.commit;
    std::optional<IndexPlace> known;
    const bool begins = at.line == 0;
    if (begins) known = TRY(index_.place_of(named.oid));
    if (begins && !known) at.line = TRY(index_.add_line());
    const IndexPlace place{at.line, commit.depth};
    if (!known && !TRY(index_.add_commit(named.oid, place, commit.time.value_or(Timestamp{})))) {
      known = TRY(index_.place_of(named.oid));
    }
    if (at.child && (begins || known)) {
      TRY(index_.add_join({*at.child, known ? *known : place}));
    }
    if (known) return false;
    if (is_searched(commit)) commits_.push_back(named);
    for (std::size_t i = 1; i < commit.parents.size(); ++i) {
      open_.push_back({commit.parents[i], 0, place});
    }
    if (!commit.parents.empty()) at = {commit.parents.front(), at.line, place};
    return true;
  }

  const store::Reader& reader_;
  store::SearchIndex& index_;
  std::vector<Open> open_;
  bool has_begun_ = false;  // Whether a commit of the last chain was read.
  std::vector<store::NamedCommit> commits_;
};

// `tips` are commits that may not be on any ref, such as a HEAD of its own.
Result<void> feed_news(const Repository& repository, store::SearchIndex& index,
                       const std::vector<Oid>& tips) {
  const store::Store& store = repository.store();
  // Texts are read while no other process writes the index. An erasure changes the store first and
  // then the index, so erased texts are never added again.
  return index.update([&]() -> Result<void> {
    Progress progress;
    progress.erasures = TRY(erasures_of(store));
    const std::string mark = TRY(index.mark());
    progress.operation = TRY(operations_known(store, mark, progress.erasures));
    if (progress.operation == 0) {
      if (!mark.empty()) TRY(index.clear());
      repository.drop_caches();  // This process may still cache what another erased.
    }

    Feeder feeder(repository.reader(), index);
    bool has_more = true;
    bool has_news = false;
    while (has_more) {
      const auto logged = TRY(store::verified_operations(store, progress.operation, kOperations));
      if (logged.empty()) break;
      has_more = logged.size() == kOperations;
      // Newest first: its chain contains most of the others.
      for (auto entry = logged.rbegin(); entry != logged.rend(); ++entry) {
        for (const store::RefMove& move : TRY(store::parse_operation(entry->body)).refs) {
          if (move.after) TRY(feeder.feed(*move.after));
        }
      }
      progress.operation = logged.back().number;
      progress.name = logged.back().name.hex();
      has_news = true;
    }
    for (const Oid& tip : tips) TRY(feeder.feed(tip));
    TRY(feeder.flush());
    return has_news ? index.set_mark(progress.mark()) : Result<void>();
  });
}

// The commits of a history: on each line all up to a depth.
class Reachable {
 public:
  explicit Reachable(const std::vector<store::IndexJoin>& joins) : joins_(joins) {}

  // Adds a commit and its ancestors.
  void add(const IndexPlace& tip) {
    std::vector<IndexPlace> open = {tip};
    while (!open.empty()) {
      const IndexPlace place = open.back();
      open.pop_back();
      const auto [at, is_new] = depths_.try_emplace(place.line, place.depth);
      if (!is_new && at->second >= place.depth) continue;
      const auto join_of = [](const store::IndexJoin& join) { return key(join.child); };
      // The joins above the old depth, up to the new one.
      auto join = is_new
                      ? std::ranges::lower_bound(joins_, key({place.line, 0}), {}, join_of)
                      : std::ranges::upper_bound(joins_, key({at->first, at->second}), {}, join_of);
      at->second = place.depth;
      for (; join != joins_.end() && join->child.line == place.line; ++join) {
        if (join->child.depth > place.depth) break;
        open.push_back(join->parent);
      }
    }
  }

  bool has(const IndexPlace& place) const {
    const auto found = depths_.find(place.line);
    return found != depths_.end() && place.depth <= found->second;
  }

 private:
  static std::pair<std::int64_t, std::uint64_t> key(const IndexPlace& place) {
    return {place.line, place.depth};
  }

  const std::vector<store::IndexJoin>& joins_;
  std::unordered_map<std::int64_t, std::uint64_t> depths_;
};

Result<Reachable> history_of(store::SearchIndex& index, const std::vector<store::IndexJoin>& joins,
                             const std::vector<Oid>& tips) {
  Reachable history(joins);
  for (const Oid& tip : tips) {
    if (const auto place = TRY(index.place_of(tip))) history.add(*place);
  }
  return history;
}

Result<std::vector<Oid>> matching(const Repository& repository, store::SearchIndex& index,
                                  const TextQuery& query, const HistoryTips& history) {
  TRY(bring_up_to_date(repository, index, history.tips));
  std::vector<store::IndexMatch> matches = TRY(index.match(query.expression));
  const auto joins = TRY(index.joins());
  const Reachable with = TRY(history_of(index, joins, history.tips));
  const Reachable without = TRY(history_of(index, joins, history.without));
  std::erase_if(matches, [&](const store::IndexMatch& match) {
    return !with.has(match.place) || without.has(match.place);
  });
  const auto order = [](const store::IndexMatch& match) {
    return std::tuple(match.time, match.place.depth, match.commit);
  };
  std::ranges::sort(matches, std::ranges::greater(), order);
  std::vector<Oid> commits;
  commits.reserve(matches.size());
  for (const store::IndexMatch& match : matches) commits.push_back(match.commit);
  return commits;
}

}  // namespace

Result<void> bring_up_to_date(const Repository& repository, store::SearchIndex& index,
                              const std::vector<Oid>& tips) {
  const std::uint64_t erasures = TRY(erasures_of(repository.store()));
  auto fed = feed_news(repository, index, tips);
  const bool is_missing = !fed && fed.error().code == Error::Code::not_found;
  if (!is_missing || TRY(erasures_of(repository.store())) == erasures) return fed;
  return feed_news(repository, index, tips);  // Erased meanwhile, with what led there.
}

Result<std::vector<Oid>> match_commits(const Repository& repository, store::SearchIndex& index,
                                       const TextQuery& query, const HistoryTips& history) {
  auto found = matching(repository, index, query, history);
  if (found || found.error().code != Error::Code::corrupt) return found;
  TRY(index.empty());
  return matching(repository, index, query, history);
}

}  // namespace spoor::graph
