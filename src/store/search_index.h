#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/timestamp.h"
#include "store/oid.h"

namespace spoor::store {

/// A commit's place in an index: on a line of first parents, at its depth. So one number for each
/// line says which commits a history has.
struct IndexPlace {
  std::int64_t line = 0;
  std::uint64_t depth = 0;  ///< Commit::depth

  bool operator==(const IndexPlace&) const = default;
};

/// A commit with a parent on another line: the first of its line, or a merge.
struct IndexJoin {
  IndexPlace child;
  IndexPlace parent;
};

/// A commit whose text matches.
struct IndexMatch {
  Oid commit;
  IndexPlace place;
  Timestamp time;  ///< zero: it has none
};

/// An index of the words in commits' texts (Store::search_index). Entirely derived: it may be
/// dropped at any time, and the code that fills it (graph/text_search.h) records its progress in
/// the mark. It contains words and their positions, but no text. For one thread; any number of
/// processes may have it open.
///
/// Each function returns Code::corrupt if it detects damage to the index: then call empty().
class SearchIndex {
 public:
  virtual ~SearchIndex() = default;

  /// Runs `body` while no other process writes the index, as one transaction.
  virtual Result<void> update(const std::function<Result<void>()>& body) = 0;

  /// Returns the last mark set: the progress of the index, in the caller's format; empty: none.
  virtual Result<std::string> mark() = 0;

  /// Returns the place of a commit that is recorded as indexed; nullopt if it is not.
  virtual Result<std::optional<IndexPlace>> place_of(const Oid& commit) = 0;

  /// Returns every join, sorted by child.
  virtual Result<std::vector<IndexJoin>> joins() = 0;

  // Within update().
  virtual Result<void> set_mark(std::string_view mark) = 0;
  /// Returns the number of a new line, at least 1.
  virtual Result<std::int64_t> add_line() = 0;
  virtual Result<void> add_join(const IndexJoin& join) = 0;
  /// Records a commit as indexed; false if it was already, with whatever place.
  virtual Result<bool> add_commit(const Oid& commit, const IndexPlace& place, Timestamp time) = 0;
  /// Adds the text of such a commit. Commits with the same `name` have the same text, which is
  /// indexed once.
  virtual Result<void> add_text(const Oid& commit, const Oid& name, std::string_view text) = 0;
  /// Removes everything; freed pages are overwritten.
  virtual Result<void> clear() = 0;

  /// Removes everything, even from a damaged index. Not within update().
  virtual Result<void> empty() = 0;

  /// Returns the commits that match an expression in the syntax of SQLite's FTS5
  /// (https://sqlite.org/fts5.html), in no order. Code::invalid if it is not one.
  virtual Result<std::vector<IndexMatch>> match(const std::string& expression) = 0;
};

}  // namespace spoor::store
