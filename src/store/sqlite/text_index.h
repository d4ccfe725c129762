#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::store::sqlite {
class SideFile;
}

namespace spoor::store {

/// The key of the local fact (Store::local) that counts erasures. An index made at another count is
/// incomplete.
inline constexpr std::string_view kErasures = "erasures";

/// The key of the local fact that is set from an erasure until compact() has cleared its remains
/// from free pages, the log, and files next to the store.
inline constexpr std::string_view kUnfinishedErasure = "erasure.unfinished";

/// Returns the path of the word index next to a store file.
std::string text_index_path(const std::string& store_path);

/// An index of the words in commits' texts, in an SQLite file of its own (FTS5). Entirely derived:
/// it may be deleted at any time, and the code that fills it (compile/text_search.h) records its
/// progress in the mark. It contains words and their positions, but no text. For one thread; any
/// number of processes may have the file open.
class TextIndex {
 public:
  /// Opens the file, or creates it with these permissions. Empties a file that is not such an
  /// index, is damaged or has another version. Code::io if it cannot be written.
  static Result<std::unique_ptr<TextIndex>> open(const std::string& path, unsigned permissions);

  /// Makes one in memory.
  static Result<std::unique_ptr<TextIndex>> in_memory();

  ~TextIndex();
  TextIndex(const TextIndex&) = delete;
  TextIndex& operator=(const TextIndex&) = delete;

  /// Runs `body` while no other process writes the index, as one transaction.
  Result<void> update(const std::function<Result<void>()>& body);

  /// Returns the last mark set: the progress of the index, in the caller's format; empty: none.
  Result<std::string> mark();

  /// Returns whether the commit is recorded as indexed.
  Result<bool> has_commit(const Oid& commit);

  // Within update().
  Result<void> set_mark(std::string_view mark);
  /// Records a commit as indexed; false if it was already.
  Result<bool> add_commit(const Oid& commit);
  /// Adds the text of such a commit. Commits with the same `name` have the same text, which is
  /// indexed once.
  Result<void> add_text(const Oid& commit, const Oid& name, std::string_view text);
  /// Removes everything; freed pages are overwritten (secure_delete).
  Result<void> clear();

  /// Removes everything, even from a damaged file. Not within update().
  Result<void> empty();

  /// Returns the commits that match an FTS5 expression. Code::invalid if it is not one. This and
  /// all functions above return Code::corrupt if they detect damage to the index: then call
  /// empty().
  Result<std::vector<Oid>> match(const std::string& expression);

  /// Empties the index at `path`, if there is one. Used by erasure and rebuild.
  static Result<void> forget(const std::string& path);

 private:
  explicit TextIndex(std::unique_ptr<sqlite::SideFile> file);
  Result<bool> is_ours();
  Result<void> make_tables();
  Result<std::int64_t> text_id(std::string_view name, std::string_view text);

  std::unique_ptr<sqlite::SideFile> file_;
};

}  // namespace spoor::store
