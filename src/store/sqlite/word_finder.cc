#include "store/sqlite/word_finder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "store/sqlite/side_file.h"

namespace spoor::store {
namespace {

constexpr std::size_t kLargest = 1U << 30U;

// Returns a mark to put around matches that occurs nowhere in the text, nor across the edge of a
// match.
std::string mark_for(std::string_view text) {
  for (std::size_t number = 0;; ++number) {
    std::string mark = fmt::format("\x01{}\x02", number);
    if (text.find(mark) == std::string_view::npos) return mark;
  }
}

// Returns the places that are enclosed in two marks each.
std::vector<WordFinder::ByteRange> places(std::string_view marked, std::string_view mark) {
  std::vector<WordFinder::ByteRange> found;
  std::size_t marks = 0;
  for (std::size_t at = 0; (at = marked.find(mark, at)) != std::string_view::npos;) {
    const std::size_t in_text = at - marks * mark.size();
    if (marks % 2 == 0) found.push_back({in_text, 0});
    if (marks % 2 == 1) found.back().size = in_text - found.back().begin;
    ++marks;
    at += mark.size();
  }
  return found;
}

}  // namespace

WordFinder::WordFinder(std::unique_ptr<sqlite::SideFile> file) : file_(std::move(file)) {}

WordFinder::~WordFinder() = default;

Result<std::unique_ptr<WordFinder>> WordFinder::make() {
  auto file = TRY(sqlite::SideFile::in_memory("the search for words", "search without --query"));
  const std::string table =
      fmt::format("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='{}')", kTokenizer);
  TRY(file->execute(table.c_str()));
  return std::unique_ptr<WordFinder>(new WordFinder(std::move(file)));
}

Result<std::vector<WordFinder::ByteRange>> WordFinder::find(const std::string& expression,
                                                            std::string_view text) {
  if (text.size() >= kLargest) return invalid("cannot search a text of 1 GiB or more for words");
  std::string whole(text);
  std::replace(whole.begin(), whole.end(), '\0', ' ');  // An SQLite text would end there.
  const std::string mark = mark_for(whole);
  TRY(file_->execute("DELETE FROM words"));
  {
    auto row = TRY(file_->prepare("INSERT INTO words VALUES(?1)"));
    row.bind(1, std::string_view(whole));
    TRY(row.step());
  }
  auto row =
      TRY(file_->prepare("SELECT highlight(words, 0, ?1, ?1) FROM words WHERE words MATCH ?2"));
  row.bind(1, std::string_view(mark));
  row.bind(2, std::string_view(expression));
  if (!TRY(row.step())) return std::vector<ByteRange>();
  return places(row.bytes(0), mark);
}

}  // namespace spoor::store
