#include <doctest/doctest.h>

#include <random>

#include "graph/diff.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::compile;
using namespace spoor::graph;

namespace {

std::string side(const std::vector<TextPiece>& pieces, TextPiece::Kind but) {
  std::string text;
  for (const TextPiece& piece : pieces) {
    if (piece.kind != but) text += piece.text;
  }
  return text;
}

// Both texts come back out of the pieces, and no two neighbours are of a kind.
void check_pieces(const std::vector<TextPiece>& pieces, const std::string& before,
                  const std::string& after) {
  CHECK(side(pieces, TextPiece::Kind::added) == before);
  CHECK(side(pieces, TextPiece::Kind::removed) == after);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CHECK(!pieces[i].text.empty());
    CHECK((i == 0 || pieces[i].kind != pieces[i - 1].kind));
  }
}

std::string shown(const std::vector<TextPiece>& pieces) {
  std::string text;
  for (const TextPiece& piece : pieces) {
    const char* mark = piece.kind == TextPiece::Kind::same    ? ""
                       : piece.kind == TextPiece::Kind::added ? "+"
                                                              : "-";
    text += mark + ("[" + piece.text + "]");
  }
  return text;
}

}  // namespace

TEST_SUITE("graph/text_diff") {
  TEST_CASE("a text is compared by words, blanks, marks and line ends") {
    struct Row {
      const char* before;
      const char* after;
      const char* expected;
    };
    for (const Row& row : {
             Row{"", "", ""},
             Row{"a", "a", "[a]"},
             Row{"", "a", "+[a]"},
             Row{"a", "", "-[a]"},
             Row{"one two", "one three", "[one ]-[two]+[three]"},
             Row{"a b c", "a c", "[a ]-[b ][c]"},
             Row{"f(x)", "f(y)", "[f(]-[x]+[y][)]"},
             Row{"über alles", "über nichts", "[über ]-[alles]+[nichts]"},
         }) {
      CAPTURE(row.before);
      CHECK(shown(diff_words(row.before, row.after)) == row.expected);
    }
  }

  TEST_CASE("lines keep their ends, and the last may have none") {
    CHECK(shown(diff_lines("a\nb\n", "a\nc\n")) == "[a\n]-[b\n]+[c\n]");
    CHECK(shown(diff_lines("a\nb", "a\nb\n")) == "[a\n]-[b]+[b\n]");
    CHECK(shown(diff_lines("a\r\nb", "a\nb")) == "-[a\r\n]+[a\n][b]");
  }

  TEST_CASE("any two texts come back out of their pieces") {
    std::mt19937 random(spoor::testing::seeded(1));
    const auto draw = [&] {
      std::string text;
      for (auto left = random() % 40; left > 0; --left) text += "ab .\n"[random() % 5];
      return text;
    };
    for (int i = 0; i < spoor::testing::rounds(3'000); ++i) {
      const std::string before = draw();
      const std::string after = draw();
      CAPTURE(before);
      CAPTURE(after);
      check_pieces(diff_words(before, after), before, after);
      check_pieces(diff_lines(before, after), before, after);
    }
  }

  TEST_CASE("a small change in a large text is found") {
    std::string before;
    for (int i = 0; i < 50'000; ++i) before += "word" + std::to_string(i) + " ";
    std::string after = before;
    after.replace(after.find("word25000"), 9, "WORD");
    const auto pieces = diff_words(before, after);
    CHECK(pieces.size() == 4);
    check_pieces(pieces, before, after);
  }

  TEST_CASE("texts made to be slow end in one replacement") {
    // Each diagonal runs far before it fails, and the ends have nothing in common.
    std::string before = "x ";
    std::string after = "y ";
    for (int i = 0; i < 300'000; ++i) {
      before += i % 997 == 0 ? "b " : "a ";
      after += i % 991 == 0 ? "c " : "a ";
    }
    before += "x";
    after += "y";
    const auto pieces = diff_words(before, after);
    CHECK(pieces.size() == 2);
    check_pieces(pieces, before, after);
  }
}
