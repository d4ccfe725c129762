#include "graph/search.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "store/ancestry.h"

namespace spoor::graph {

namespace {

// How many texts one call to the store reads. Few at first, since often the newest matches.
constexpr std::size_t kFirstBatch = 16;
constexpr std::size_t kMostAtOnce = 256;

// A walk over searchable commits that reads their texts in batches.
class TextWalk {
 public:
  using Found = std::function<bool(const Oid& commit)>;

  // Calls `found` for each commit that contains `needle`; `found` returns false to stop.
  TextWalk(const store::Reader& reader, std::string_view needle, LookIn where, Found found)
      : reader_(reader), needle_(needle), where_(where), found_(std::move(found)) {}

  Result<void> run(const std::vector<Oid>& tips) {
    std::optional<Error> failure;
    TRY(store::walk_history(reader_, tips, [&](const store::NamedCommit& named) {
      if (!is_searched(*named.commit, where_)) return true;
      commits_.push_back(named);
      if (commits_.size() < batch_) return true;
      const auto flushed = flush();
      if (!flushed) failure = flushed.error();
      return !failure && !is_over_;
    }));
    if (failure) return *failure;
    return is_over_ ? Result<void>() : flush();
  }

 private:
  Result<void> flush() {
    const std::vector<SearchedText> said = TRY(searched_texts(reader_, commits_, where_));
    for (std::size_t i = 0; i < said.size() && !is_over_; ++i) {
      if (said[i].says(needle_)) is_over_ = !found_(commits_[i].oid);
    }
    commits_.clear();
    batch_ = std::min(batch_ * 4, kMostAtOnce);
    return {};
  }

  const store::Reader& reader_;
  std::string_view needle_;
  LookIn where_;
  Found found_;
  std::vector<store::NamedCommit> commits_;
  std::size_t batch_ = kFirstBatch;
  bool is_over_ = false;
};

}  // namespace

Result<std::vector<Oid>> search(const store::Reader& reader, const std::vector<Oid>& tips,
                                std::string_view needle, LookIn where) {
  std::vector<Oid> found;
  TRY(TextWalk(reader, needle, where, [&found](const Oid& commit) {
        found.push_back(commit);
        return true;
      }).run(tips));
  return found;
}

Result<std::optional<Oid>> search_newest(const store::Reader& reader, const std::vector<Oid>& tips,
                                         std::string_view needle, LookIn where) {
  std::optional<Oid> found;
  TRY(TextWalk(reader, needle, where, [&found](const Oid& commit) {
        found = commit;
        return false;
      }).run(tips));
  return found;
}

}  // namespace spoor::graph
