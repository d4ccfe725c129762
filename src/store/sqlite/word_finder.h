#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::store::sqlite {
class SideFile;
}

namespace spoor::store {

/// The tokenizer of FTS5: words are runs of Unicode letters and digits, case-folded; accents are
/// kept.
inline constexpr std::string_view kTokenizer = "unicode61 remove_diacritics 0";

/// Finds words in texts like the index (text_index.h): SQLite itself decides what a word is and
/// which letters are equal. For one thread.
class WordFinder {
 public:
  /// A range of bytes in a text.
  struct ByteRange {
    std::size_t begin = 0;
    std::size_t size = 0;

    bool operator==(const ByteRange&) const = default;
  };

  static Result<std::unique_ptr<WordFinder>> make();

  ~WordFinder();
  WordFinder(const WordFinder&) = delete;
  WordFinder& operator=(const WordFinder&) = delete;

  /// Returns the places in a text that match an FTS5 expression, in order. Code::invalid if it is
  /// not an expression, or for a text of 1 GiB.
  Result<std::vector<ByteRange>> find(const std::string& expression, std::string_view text);

 private:
  explicit WordFinder(std::unique_ptr<sqlite::SideFile> file);

  std::unique_ptr<sqlite::SideFile> file_;
};

}  // namespace spoor::store
