#include "llm/http/recorded_transport.h"

#include <doctest/doctest.h>

using namespace spoor;
using llm::Failure;
using namespace llm::http;

namespace {

/// What a sink was fed.
struct Fed {
  Head head;
  std::vector<std::string> bytes;

  Sink sink(std::size_t most = 1000) {
    return {.on_head = [this](const Head& received) { head = received; },
            .on_bytes =
                [this, most](std::string_view piece) {
                  bytes.emplace_back(piece);
                  return bytes.size() < most;
                }};
  }
};

}  // namespace

TEST_SUITE("llm/http/recorded_transport") {
  TEST_CASE("a body arrives in the pieces that were recorded") {
    RecordedTransport transport(
        {{.headers = {{"a", "b"}}, .body = std::string("0123\0004567", 9), .chunks = {1, 3}}});
    Fed fed;
    CHECK_FALSE(transport.send({.url = "http://x"}, fed.sink()));
    CHECK(fed.head.status == 200);
    CHECK(fed.head.find("a") == "b");
    CHECK(fed.bytes == std::vector<std::string>{"0", "123", std::string("\0004567", 5)});
  }

  TEST_CASE("a recorded failure comes after the bytes") {
    RecordedTransport transport({{.body = "half", .failure = Failure{.message = "reset"}}});
    Fed fed;
    CHECK(transport.send({}, fed.sink())->message == "reset");
    CHECK(fed.bytes == std::vector<std::string>{"half"});
  }

  TEST_CASE("a sink that has enough ends the exchange, which is no failure") {
    RecordedTransport transport({{.body = "abc", .chunks = {1, 1, 1}}});
    Fed fed;
    CHECK_FALSE(transport.send({}, fed.sink(2)));
    CHECK(fed.bytes.size() == 2);
  }

  TEST_CASE("another request than was recorded is refused") {
    RecordedTransport transport({{.method = "POST", .url = "http://x/a"}, {}});
    CHECK(transport.send({.method = "POST", .url = "http://x/b"}, {})->kind ==
          Failure::Kind::invalid_request);
    CHECK_FALSE(transport.send({.method = "GET", .url = "http://anything"}, {}));
    CHECK(transport.send({}, {})->message == "2 exchanges are recorded, and this is request 3");
    CHECK(transport.sent().at(0).url == "http://x/b");
  }

  TEST_CASE("a stopped call is interrupted") {
    RecordedTransport transport({{.body = "abc"}, {.body = "abc", .chunks = {1, 1, 1}}});
    std::stop_source stop;
    Fed fed;
    Sink sink = fed.sink();
    const auto keep = sink.on_bytes;
    sink.on_bytes = [&](std::string_view bytes) {
      stop.request_stop();
      return keep(bytes);
    };
    CHECK_FALSE(transport.send({.stop = stop.get_token()}, sink));
    CHECK(transport.send({.stop = stop.get_token()}, sink)->kind == Failure::Kind::interrupted);
    CHECK(fed.bytes.size() == 1);
  }

  TEST_CASE("what was recorded plays back the same, and holds no header of a request") {
    const Exchange original{.method = "POST",
                            .url = "http://x",
                            .status = 429,
                            .headers = {{"retry-after", "1"}},
                            .body = "slow down",
                            .chunks = {4, 5},
                            .failure = Failure{.kind = Failure::Kind::network}};
    RecordedTransport real({original});
    RecordingTransport recording(real);
    Fed fed;
    const Request request{.url = "http://x", .headers = {{"authorization", "Bearer secret"}}};
    CHECK(recording.send(request, fed.sink())->kind == Failure::Kind::network);
    CHECK(recording.exchanges() == std::vector<Exchange>{original});
    CHECK(fed.bytes == std::vector<std::string>{"slow", " down"});
  }
}
