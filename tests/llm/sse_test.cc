#include "llm/wire/sse.h"

#include <doctest/doctest.h>

#include <vector>

using spoor::llm::wire::SseDecoder;
using spoor::llm::wire::SseEvent;

namespace {

// The events as `name|data`, those that were cut with a `!`.
std::vector<std::string> decode(std::string_view bytes, std::size_t size) {
  std::vector<std::string> all;
  const auto take = [&](const SseEvent& event) {
    all.push_back(std::string(event.event) + "|" + std::string(event.data) +
                  (event.is_cut ? "!" : ""));
  };
  SseDecoder decoder;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    decoder.feed(bytes.substr(at, size), take);
  }
  decoder.finish(take);
  return all;
}

std::vector<std::string> decode(std::string_view bytes) {
  const auto whole = decode(bytes, bytes.size() + 1);
  for (std::size_t size = 1; size <= bytes.size(); ++size) CHECK(decode(bytes, size) == whole);
  return whole;
}

using Events = std::vector<std::string>;

}  // namespace

TEST_SUITE("llm/wire/sse") {
  TEST_CASE("lines end with LF, CR or CRLF, and a blank line ends an event") {
    CHECK(decode("event: a\ndata: 1\n\ndata: 2\n\n") == Events{"a|1", "|2"});
    CHECK(decode("event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n") == Events{"a|1", "|2"});
    CHECK(decode("event: a\rdata: 1\r\rdata: 2\r\r") == Events{"a|1", "|2"});
    CHECK(decode("data: 1\r\n\ndata: 2\n\r\n") == Events{"|1", "|2"});
  }

  TEST_CASE("data of several lines is joined by LF") {
    CHECK(decode("data: {\ndata:  \"a\": 1\ndata: }\n\n") == Events{"|{\n \"a\": 1\n}"});
    CHECK(decode("data\ndata:\n\n") == Events{"|\n"});
    CHECK(decode("data:\n\n") == Events{"|"});
  }

  TEST_CASE("comments, unknown fields and events without data are passed over") {
    CHECK(decode(": ping\n\n: OPENROUTER PROCESSING\n\nevent: ping\n\ndata: 1\n\n") ==
          Events{"|1"});
    CHECK(decode("id: 7\nretry: 10\nfoo: bar\nnonsense\ndata: 1\n\n") == Events{"|1"});
  }

  TEST_CASE("one blank behind the colon is no part of a value") {
    CHECK(decode("data:x\n\ndata:  x\n\n") == Events{"|x", "| x"});
    CHECK(decode("data: a:b\n\n") == Events{"|a:b"});
  }

  TEST_CASE("a byte order mark at the start is no part of the first field") {
    CHECK(decode("\xEF\xBB\xBF"
                 "data: 1\n\n\xEF\xBB\xBF"
                 "data: 2\n\n") == Events{"|1"});
  }

  TEST_CASE("an event that the end cuts off is told as cut") {
    CHECK(decode("data: 1\n\ndata: 2") == Events{"|1", "|2!"});
    CHECK(decode("data: 1\n\ndata: 2\n") == Events{"|1", "|2!"});
    CHECK(decode("data: 1\n\nevent: a\nda") == Events{"|1"});
    CHECK(decode("").empty());
  }
}
