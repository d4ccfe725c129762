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

/// How FTS5 takes a text apart: words are runs of Unicode's letters and digits, folded for case;
/// accents stay.
inline constexpr std::string_view kTokenizer = "unicode61 remove_diacritics 0";

/// Finds words in texts as the index (text_index.h) does: SQLite itself says what a word is, and
/// which letters are the same. For one thread.
class WordFinder {
 public:
  /// Bytes of a text.
  struct Place {
    std::size_t begin = 0;
    std::size_t size = 0;

    bool operator==(const Place&) const = default;
  };

  static Result<std::unique_ptr<WordFinder>> make();

  ~WordFinder();
  WordFinder(const WordFinder&) = delete;
  WordFinder& operator=(const WordFinder&) = delete;

  /// Where what an FTS5 expression asks for stands in a text, in order. Code::invalid for what is
  /// no expression, and for a text of 1 GiB.
  Result<std::vector<Place>> find(const std::string& expression, std::string_view text);

 private:
  explicit WordFinder(std::unique_ptr<sqlite::SideFile> file);

  std::unique_ptr<sqlite::SideFile> file_;
};

}  // namespace spoor::store
