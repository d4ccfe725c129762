#include "llm/http/head_reader.h"

#include <doctest/doctest.h>

#include <string>

using namespace spoor;
using namespace spoor::llm::http;
using State = HeadReader::State;

namespace {

State feed(HeadReader& reader, std::initializer_list<std::string_view> lines) {
  State state = State::reading;
  for (const std::string_view line : lines) state = reader.feed(line);
  return state;
}

}  // namespace

TEST_SUITE("llm/http/head_reader") {
  TEST_CASE("a head is its status and its headers, names in lower case") {
    HeadReader reader;
    CHECK(feed(reader, {"HTTP/1.1 429 Too Many\r\n", "Retry-After:  7 \r\n", "X-A: b: c\r\n",
                        "\r\n"}) == State::complete);
    CHECK(reader.head().status == 429);
    CHECK(reader.head().headers == Headers{{"retry-after", "7"}, {"x-a", "b: c"}});
  }

  TEST_CASE("HTTP/2 has no words behind the status") {
    HeadReader reader;
    CHECK(feed(reader, {"HTTP/2 200 \r\n", "\r\n"}) == State::complete);
    CHECK(reader.head().status == 200);
  }

  TEST_CASE("an interim head is passed over, and so are trailers") {
    HeadReader reader;
    CHECK(feed(reader, {"HTTP/1.1 103 Early\r\n", "link: x\r\n", "\r\n"}) == State::reading);
    CHECK(feed(reader, {"HTTP/1.1 200 OK\r\n", "\r\n"}) == State::complete);
    CHECK(feed(reader, {"trailer: t\r\n", "\r\n"}) == State::behind);
    CHECK(reader.head().headers.empty());
  }

  TEST_CASE("a head without a status, or longer than it may be, is broken") {
    HeadReader none;
    CHECK(feed(none, {"\r\n"}) == State::broken);
    HeadReader odd;
    CHECK(feed(odd, {"HTTP/1.1 abc\r\n"}) == State::broken);
    HeadReader endless;
    const std::string line = "x: " + std::string(64U << 10U, 'x') + "\r\n";
    CHECK(feed(endless, {"HTTP/1.1 200 OK\r\n", line, line, line}) == State::reading);
    CHECK(feed(endless, {line}) == State::broken);
    CHECK(feed(endless, {"\r\n"}) == State::broken);
  }
}
