#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/search_index.h"

namespace spoor::store::sqlite {
class SideFile;
}

namespace spoor::store {

/// Returns the path of the word index next to a store file.
std::string text_index_path(const std::string& store_path);

/// A SearchIndex in an SQLite file of its own (FTS5).
class TextIndex final : public SearchIndex {
 public:
  /// Opens the file, or creates it with these permissions. Empties a file that is not such an
  /// index, is damaged or has another version. Code::io if it cannot be written.
  static Result<std::unique_ptr<TextIndex>> open(const std::string& path, unsigned permissions);

  /// Makes one in memory.
  static Result<std::unique_ptr<TextIndex>> in_memory();

  ~TextIndex() override;
  TextIndex(const TextIndex&) = delete;
  TextIndex& operator=(const TextIndex&) = delete;

  Result<void> update(const std::function<Result<void>()>& body) override;
  Result<std::string> mark() override;
  Result<std::optional<IndexPlace>> place_of(const Oid& commit) override;
  Result<std::vector<IndexJoin>> joins() override;
  Result<void> set_mark(std::string_view mark) override;
  Result<std::int64_t> add_line() override;
  Result<void> add_join(const IndexJoin& join) override;
  Result<bool> add_commit(const Oid& commit, const IndexPlace& place, Timestamp time) override;
  Result<void> add_text(const Oid& commit, const Oid& name, std::string_view text) override;
  Result<void> clear() override;
  Result<void> empty() override;
  Result<std::vector<IndexMatch>> match(const std::string& expression) override;

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
