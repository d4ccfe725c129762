#include "graph/text_search.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "graph/call_text.h"
#include "graph/said.h"
#include "store/operation_walk.h"
#include "store/sha256.h"

namespace spoor::graph {

using compile::ToolCall;
using store::Commit;

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

std::string words_of(const Said& said) {
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
Oid name_of_words(const Commit& commit, const Said& said) {
  if (said.calls.empty()) return commit.content->oid;
  const std::string content = said.text ? commit.content->oid.hex() : "";
  return store::sha256(content + " " + commit.fields->hex());
}

class Feeder {
 public:
  Feeder(const store::Reader& reader, store::SearchIndex& index) : reader_(reader), index_(index) {}

  // Indexes the target of a ref and its ancestors that are not indexed yet.
  Result<void> feed(const Oid& target) {
    if (TRY(index_.has_commit(target))) return {};
    const auto tip = reader_.peel(target);
    if (!tip && tip.error().code == Error::Code::not_found) return {};  // gc removed it.
    const Oid first = TRY(tip);
    const auto fed = feed_line(first);
    if (!fed && fed.error().code == Error::Code::not_found && !has_begun_) return {};  // No commit.
    TRY(fed);
    while (true) {
      if (commits_.size() >= kBatch) TRY(flush());
      if (open_.empty()) return {};
      const Oid from = open_.back();
      open_.pop_back();
      TRY(feed_line(from));
    }
  }

  Result<void> flush() {
    const std::vector<Said> said = TRY(said_by(reader_, commits_));
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (!said[i].text && said[i].calls.empty()) continue;
      const Oid name = name_of_words(*commits_[i].commit, said[i]);
      TRY(index_.add_text(commits_[i].oid, name, words_of(said[i])));
    }
    commits_.clear();
    return {};
  }

 private:
  // Indexes the first-parent chain from a commit down to an indexed one, at most one batch per
  // call. A missing commit is an error: if the mark were moved past it, it would never be indexed
  // when it comes back.
  Result<void> feed_line(const Oid& from) {
    has_begun_ = false;
    std::optional<Oid> next;
    std::optional<Error> problem;
    const auto take = [&](const store::NamedCommit& named) {
      has_begun_ = true;
      next.reset();
      const auto is_new = index_.add_commit(named.oid);
      if (!is_new) problem = is_new.error();
      if (!is_new || !*is_new) return false;
      if (is_searched(*named.commit)) commits_.push_back(named);
      const auto& parents = named.commit->parents;
      if (parents.empty()) return true;
      next = parents.front();
      open_.insert(open_.end(), parents.begin() + 1, parents.end());
      return true;
    };
    auto read = reader_.run(from, kBatch, take, store::Reader::Keep::nothing);
    if (problem) return *problem;
    if (read && next) open_.push_back(*next);
    return read;
  }

  const store::Reader& reader_;
  store::SearchIndex& index_;
  std::vector<Oid> open_;   // Commits whose chains are not read yet.
  bool has_begun_ = false;  // Whether a commit of the last chain was read.
  std::vector<store::NamedCommit> commits_;
};

Result<void> feed_news(const Repository& repository, store::SearchIndex& index) {
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
    TRY(feeder.flush());
    return has_news ? index.set_mark(progress.mark()) : Result<void>();
  });
}

}  // namespace

Result<void> bring_up_to_date(const Repository& repository, store::SearchIndex& index) {
  const std::uint64_t erasures = TRY(erasures_of(repository.store()));
  auto fed = feed_news(repository, index);
  const bool is_missing = !fed && fed.error().code == Error::Code::not_found;
  if (!is_missing || TRY(erasures_of(repository.store())) == erasures) return fed;
  return feed_news(repository, index);  // Erased meanwhile, with the operations that led there.
}

Result<std::unordered_set<Oid>> match_commits(const Repository& repository,
                                              store::SearchIndex& index, const TextQuery& query) {
  const auto matching = [&]() -> Result<std::vector<Oid>> {
    TRY(bring_up_to_date(repository, index));
    return index.match(query.expression);
  };
  auto found = matching();
  if (!found && found.error().code == Error::Code::corrupt) {
    TRY(index.empty());
    found = matching();
  }
  const std::vector<Oid> commits = TRY(std::move(found));
  return std::unordered_set<Oid>(commits.begin(), commits.end());
}

}  // namespace spoor::graph
