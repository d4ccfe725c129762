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

/// The local fact (Store::local) that counts how often something was erased, so that
/// no index made before is taken for whole.
inline constexpr std::string_view kErasures = "erasures";

/// The local fact that is there from an erasure until compact() has cleared away what it left
/// in free pages, in the log and in files beside the store.
inline constexpr std::string_view kUnfinishedErasure = "erasure.unfinished";

/// The file beside a store file that holds its index of words.
std::string text_index_path(const std::string& store_path);

/// An index of the words of what commits say, in an SQLite file of its own (FTS5). Wholly
/// derived: it may be deleted at any time, and what feeds it (compile/text_search.h)
/// knows how far it has come by its mark. It keeps words and where they stand, but no
/// text. For one thread; any number of processes may have the file open.
class TextIndex {
 public:
  /// Opens the file, or makes it with these permissions. A file that is no such index,
  /// is damaged or of another version is emptied. Code::io when it cannot be written.
  static Result<std::unique_ptr<TextIndex>> open(const std::string& path, unsigned permissions);

  /// One that forgets.
  static Result<std::unique_ptr<TextIndex>> in_memory();

  ~TextIndex();
  TextIndex(const TextIndex&) = delete;
  TextIndex& operator=(const TextIndex&) = delete;

  /// Runs `body` while no other process writes the index: all of it is kept, or nothing.
  Result<void> update(const std::function<Result<void>()>& body);

  /// How far the index has come, in the words of whoever feeds it; empty: nowhere.
  Result<std::string> mark();

  /// Was it noted as indexed?
  Result<bool> has_commit(const Oid& commit);

  // Within update().
  Result<void> set_mark(std::string_view mark);
  /// Notes a commit as indexed; false when it was already.
  Result<bool> add_commit(const Oid& commit);
  /// Notes what such a commit says. Commits that give the same `name` say the same: it is
  /// indexed once.
  Result<void> add_text(const Oid& commit, const Oid& name, std::string_view text);
  /// Forgets everything; freed pages are overwritten (secure_delete).
  Result<void> clear();

  /// Forgets everything, however damaged the file is. Not within update().
  Result<void> empty();

  /// The commits that an FTS5 expression matches. Code::invalid when it is none; Code::corrupt, of
  /// this and of all above, when the index is damaged, as far as it shows: empty() it then.
  Result<std::vector<Oid>> match(const std::string& expression);

  /// Empties the index at `path`, if there is one: what erasure and rebuild do.
  static Result<void> forget(const std::string& path);

 private:
  explicit TextIndex(std::unique_ptr<sqlite::SideFile> file);
  Result<bool> is_ours();
  Result<void> make_tables();
  Result<std::int64_t> text_id(std::string_view name, std::string_view text);

  std::unique_ptr<sqlite::SideFile> file_;
};

}  // namespace spoor::store
