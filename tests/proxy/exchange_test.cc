// An exchange in a file and back, and what must not be in it.
#include <doctest/doctest.h>

#include <filesystem>
#include <random>

#include "proxy/content_coding.h"
#include "proxy/credentials.h"
#include "proxy/exchange.h"
#include "proxy/message_tap.h"
#include "proxy/spool.h"
#include "tests/store/temp_dir.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::proxy;

namespace {

Exchange sample() {
  return {.upstream = "https://api.anthropic.com",
          .method = "POST",
          .target = "/v1/messages?beta=true",
          .request_headers = {{"content-type", "application/json"}},
          .request = std::string("{\"a\":\"b\n\0c\"}", 13),
          .status = 200,
          .response_headers = {{"request-id", "req_\"1"}},
          .response = "event: ping\n\n",
          .begun = {1'795'765'774'000'001},
          .first_byte = 120,
          .end = 4500,
          .ending = Ending::client_disconnect,
          .is_altered = true};
}

std::string serialize(const Exchange& exchange) {
  return describe(exchange) + "\n" + exchange.request + exchange.response;
}

}  // namespace

TEST_SUITE("proxy/exchange") {
  TEST_CASE("an exchange comes back from its file, and no other bytes are one") {
    const std::string bytes = serialize(sample());
    CHECK(parse_exchange(bytes).value() == sample());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CHECK_FALSE(parse_exchange(std::string_view(bytes).substr(0, size)));
    }
    CHECK_FALSE(parse_exchange(bytes + "x"));
    std::mt19937 random(testing::seeded(8));
    for (int round = 0; round < testing::rounds(2000); ++round) {
      std::string changed = bytes;
      changed[random() % changed.size()] = static_cast<char>(random());
      const auto read = parse_exchange(changed);
      if (!read) continue;
      const std::string once = serialize(read.value());  // What is not UTF-8 is U+FFFD from now on.
      CHECK(serialize(parse_exchange(once).value()) == once);
    }
  }

  TEST_CASE("only headers that are known to be harmless are kept") {
    const Headers kept = kept_headers({{"Content-Type", "application/json"},
                                       {"Authorization", "Bearer secret"},
                                       {"X-Api-Key", "secret"},
                                       {"Cookie", "secret"},
                                       {"Set-Cookie", "secret"},
                                       {"Anthropic-Beta", "thinking-2025"},
                                       {"Anthropic-Organization-Id", "secret"},
                                       {"X-Forwarded-For", "10.0.0.1"},
                                       {"Request-Id", "req_1"}});
    CHECK(kept == Headers{{"content-type", "application/json"},
                          {"anthropic-beta", "thinking-2025"},
                          {"request-id", "req_1"}});
  }

  TEST_CASE("the secrets of a request are taken out wherever they stand") {
    const Headers headers = {{"authorization", "Bearer sk-0123456789abcdefghij"},
                             {"Cookie", "a=cookie-of-some-length; b=2"}};
    const std::string target = "/v1beta/models/m:generate?alt=sse&key=AIza0123456789abcdef&limit=1";
    const Credentials credentials(headers, target);
    std::string text =
        "my key is sk-0123456789abcdefghij, AIza0123456789abcdef and cookie-of-some-length";
    CHECK(credentials.take_out_of(text));
    for (const char* secret :
         {"sk-0123456789abcdefghij", "AIza0123456789abcdef", "cookie-of-some-length"}) {
      CHECK(text.find(secret) == text.npos);
    }
    CHECK(without_credentials(target) ==
          "/v1beta/models/m:generate?alt=sse&key=[REDACTED:known-key]&limit=1");
    CHECK(without_credentials("/v1?key=a") == "/v1?key=[REDACTED:known-key]");  // However short.
    CHECK(without_credentials("/v1?key=") == "/v1?key=[REDACTED:known-key]");
    CHECK(without_credentials("/v1?stream=1&&a") == "/v1?stream=1&&a");
    CHECK(without_credentials("/v1?%6bey=abc") == "/v1?%6bey=[REDACTED:known-key]");
    const Credentials basic({{"Authorization", "Basic dXNlcjpodW50ZXIyLXB3"}}, "/");
    std::string told = "the password is hunter2-pw";
    CHECK(basic.take_out_of(told));
    Credentials all = basic;
    all.add(credentials);
    told = "sk-0123456789abcdefghij, hunter2-pw";
    CHECK(all.take_out_of(told));
    CHECK(told.find("hunter2") == std::string::npos);
    std::string plain = "Bearer of good news";
    CHECK_FALSE(credentials.take_out_of(plain));
  }

  TEST_CASE("a key that a model repeats is not kept, however its answer is packed") {
    const std::string key = "sk-0123456789abcdefghij";
    const Headers asked = {{"x-api-key", key}};
    const Credentials credentials(asked, "/v1/messages");
    Exchange exchange = sample();
    exchange.request = "{\"a\":\"" + key + "\"}";
    exchange.response =
        "event: x\ndata: {\"text\":\"your key is sk-0123456\"}\n\n"
        "event: x\ndata: {\"text\":\"789abcdefghij\"}\n\n";
    exchange.is_altered = false;
    take_out(credentials, exchange);
    CHECK(exchange.is_altered);
    CHECK(exchange.request.find(key) == std::string::npos);
    CHECK(exchange.response == compile::kKeyMark);

    // {"text":"sk-0123456789abcdefghij"}, by Python's gzip.
    exchange.response_headers = {{"content-encoding", "gzip"}};
    exchange.response = std::string(
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x2a\x49\xad\x28\x51\xb2\x52\x2a\xce\xd6"
        "\x35\x30\x34\x32\x36\x31\x35\x33\xb7\xb0\x4c\x4c\x4a\x4e\x49\x4d\x4b\xcf\xc8\xcc\x52\xaa"
        "\x05\x00\xc1\x66\xd6\x55\x22\x00\x00\x00",
        54);
    take_out(credentials, exchange);
    CHECK(exchange.response == "{\"text\":\"[REDACTED:known-key]\"}");
    CHECK(exchange.response_headers.empty());

    exchange.response_headers = {{"content-encoding", "compress"}};
    exchange.response = "who knows";
    take_out(credentials, exchange);
    CHECK(exchange.response.empty());
  }

  TEST_CASE("a compressed request is kept decoded, without the keys in it") {
    const Headers asked = {{"x-api-key", "sk-0123456789abcdefghij"}};
    // {"text":"sk-0123456789abcdefghij"}, by Python's gzip.
    const std::string packed(
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x2a\x49\xad\x28\x51\xb2\x52\x2a\xce\xd6"
        "\x35\x30\x34\x32\x36\x31\x35\x33\xb7\xb0\x4c\x4c\x4a\x4e\x49\x4d\x4b\xcf\xc8\xcc\x52\xaa"
        "\x05\x00\xc1\x66\xd6\x55\x22\x00\x00\x00",
        54);
    Exchange exchange = sample();
    exchange.request_headers = {{"content-encoding", "gzip"}};
    exchange.request = packed;
    exchange.is_altered = false;
    SUBCASE("with a key") {
      take_out(Credentials(asked, "/v1/messages"), exchange);
      CHECK(exchange.request == "{\"text\":\"[REDACTED:known-key]\"}");
      CHECK(exchange.is_altered);
    }
    SUBCASE("without") {
      take_out(Credentials({}, "/v1/messages"), exchange);
      CHECK(exchange.request == "{\"text\":\"sk-0123456789abcdefghij\"}");
      CHECK_FALSE(exchange.is_altered);
    }
    SUBCASE("of an unknown coding, nothing is kept") {
      exchange.request_headers = {{"content-encoding", "compress"}};
      take_out(Credentials({}, "/v1/messages"), exchange);
      CHECK(exchange.request.empty());
      return;
    }
    CHECK(exchange.request_headers.empty());
  }

  TEST_CASE("bodies for which there is no room are passed by, and give their room back") {
    const std::string message = "POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n";
    std::size_t room = 10;
    const auto read = [&](MessageTap<true>& tap, std::string_view bytes) {
      while (!bytes.empty()) bytes.remove_prefix(tap.read(bytes).value());
    };
    {
      MessageTap<true> one(100, room);
      MessageTap<true> two(100, room);
      read(one, message + "123456");
      read(two, message + "123");
      CHECK(room == 1);
      read(two, "456");
      CHECK(one.body == "123456");
      CHECK(two.is_too_long());
      CHECK(two.is_done());
      CHECK(room == 4);
    }
    CHECK(room == 10);
  }

  TEST_CASE("a spool gives back in order what was put, and nothing that is half there") {
    const store::TempDir folder;
    const Spool spool = Spool::open(folder / "spool").value();
    Exchange exchange = sample();
    for (int i = 0; i < 20; ++i) {
      exchange.status = 200 + i;
      REQUIRE(spool.put(exchange));
    }
    const auto names = spool.names().value();
    REQUIRE(names.size() == 20);
    for (int i = 0; i < 20; ++i) {
      CHECK(spool.read(names[static_cast<std::size_t>(i)]).value().status == 200 + i);
    }
    REQUIRE(spool.remove(names[0]));
    REQUIRE(spool.refuse(names[1]));
    CHECK(spool.names().value().size() == 18);
    CHECK(spool.read(names[0]).error().code == Error::Code::io);
  }

  TEST_CASE("what a process left is given back though another has its number now") {
    const store::TempDir folder;
    const Spool spool = Spool::open(folder / "spool").value();
    REQUIRE(spool.put(sample()));
    const std::string own = spool.names().value().at(0);
    const std::string before = own.substr(0, own.rfind('.', own.size() - 10));
    const std::string left = before + ".1.exchange";  // The same number, and another beginning.
    std::filesystem::copy(spool.folder() + "/" + own, spool.folder() + "/" + left);
    std::filesystem::copy(spool.folder() + "/" + own, spool.folder() + "/" + before + ".1");
    CHECK(spool.names().value().size() == 2);
    CHECK(spool.is_own(own));
    CHECK_FALSE(spool.is_own(left));
    CHECK_FALSE(std::filesystem::exists(spool.folder() + "/" + before + ".1"));
  }

  TEST_CASE("bodies are decoded as far as they came, and not without end") {
    const std::string zipped(  // "hello hello hello", by Python's gzip with a time of 0.
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90"
        "\x00\x80\x88\xf9\xe5\x11\x00\x00\x00",
        28);
    CHECK(decode_content("gzip", zipped, 100) == "hello hello hello");
    CHECK(decode_content(" GZip ", zipped, 100) == "hello hello hello");
    CHECK_FALSE(decode_content("gzip", zipped, 16));
    CHECK_FALSE(decode_content("gzip", "hello", 100));
    CHECK_FALSE(decode_content("br", zipped, 100));
    CHECK_FALSE(decode_content("compress", zipped, 100));
    const std::string brotli(  // The same, by Google's own program.
        "\x1b\x10\x00\xf8\x8d\x94\x6e\xde\x44\x55\x86\x96\x6c\x20\x6f\x01\x4f\x1c\x60\x1c", 20);
    CHECK(decode_content("br", brotli, 100) == "hello hello hello");
    CHECK_FALSE(decode_content("br", brotli, 16));
    CHECK(decode_content("", "as it is", 100) == "as it is");
    const auto half = decode_content("gzip", zipped.substr(0, 16), 100);
    REQUIRE(half);
    CHECK(std::string("hello hello hello").starts_with(*half));
  }
}
