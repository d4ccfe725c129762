#include "import/source.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/base64.h"

using namespace spoor;
using namespace spoor::import;

namespace {

/// Hands out a few bytes at a time.
class Trickle final : public Source {
 public:
  Trickle(std::string text, std::size_t step) : text_(std::move(text)), step_(step) {}
  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  Result<std::size_t> read(char* to, std::size_t room) override {
    const std::size_t count = std::min({room, step_, text_.size() - at_});
    std::memcpy(to, text_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string name_ = "trickle";
  std::string text_;
  std::size_t step_;
  std::size_t at_ = 0;
};

std::vector<std::string> lines_of(const std::string& text, std::size_t step) {
  Trickle source(text, step);
  LineReader reader(source);
  std::vector<std::string> lines;
  while (const auto line = reader.next().value()) {
    CHECK(line->number == lines.size() + 1);
    lines.push_back(std::string(line->text) + (line->ended ? "$" : "…"));
  }
  CHECK(reader.bytes_done() == text.size());
  return lines;
}

}  // namespace

TEST_SUITE("import/lines") {
  TEST_CASE("a line that is too long is handed out by its length, and those around it whole") {
    for (const std::size_t step : {1U, 3U, 1000U}) {
      Trickle source("ab\nabcdefgh\nabcd\nabcde", step);
      LineReader reader(source, 4);
      std::vector<std::string> lines;
      std::vector<std::uint64_t> dropped;
      while (const auto line = reader.next().value()) {
        lines.emplace_back(line->text);
        dropped.push_back(line->dropped);
      }
      CHECK(lines == std::vector<std::string>{"ab", "", "abcd", ""});
      CHECK(dropped == std::vector<std::uint64_t>{0, 8, 0, 5});
      CHECK(reader.bytes_done() == 22);
    }
  }

  TEST_CASE("lines are cut at LF, however the bytes arrive") {
    using Lines = std::vector<std::string>;
    for (const std::size_t step : {1U, 2U, 3U, 1000U}) {
      CHECK(lines_of("a\nbc\n\nd", step) == Lines{"a$", "bc$", "$", "d…"});
      CHECK(lines_of("a\n", step) == Lines{"a$"});
      CHECK(lines_of("", step).empty());
      CHECK(lines_of("x\r\n", step) == Lines{"x\r$"});
    }
  }

  TEST_CASE("a line longer than any block is held whole") {
    const std::string longer(3'000'000, 'x');
    const auto lines = lines_of("a\n" + longer + "\nb", 100'000);
    REQUIRE(lines.size() == 3);
    CHECK(lines[1] == longer + "$");
  }

  TEST_CASE("a missing file and a folder are told apart from a file") {
    CHECK(open_file("/nonexistent/x").error().code == spoor::Error::Code::not_found);
    CHECK(open_file("/").error().code == spoor::Error::Code::io);
    CHECK(session_files("/nonexistent").error().code == spoor::Error::Code::not_found);
  }
}

TEST_SUITE("import/base64") {
  TEST_CASE("what is decoded encodes back to the same text") {
    for (const std::string bytes : {"", "a", "ab", "abc", "\xff\x00\xfe"}) {
      CHECK(spoor::decode_base64(spoor::encode_base64(bytes)) == bytes);
    }
    CHECK(spoor::encode_base64("ab") == "YWI=");
  }

  TEST_CASE("text that would not come back is refused") {
    CHECK_FALSE(spoor::decode_base64("YWI"));
    CHECK_FALSE(spoor::decode_base64("YWJ="));  // Bits that no byte holds.
    CHECK_FALSE(spoor::decode_base64("YW\nI="));
    CHECK_FALSE(spoor::decode_base64("===="));
    CHECK_FALSE(spoor::decode_base64("YW-_"));
  }
}
