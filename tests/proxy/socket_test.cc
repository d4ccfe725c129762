#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "proxy/socket_exchanges.h"
#include "proxy/socket_messages.h"

using namespace spoor;
using namespace spoor::proxy;
using namespace std::string_literals;

namespace {

constexpr std::size_t kMost = 1U << 20U;

struct Read {
  std::vector<std::string> messages;
  bool is_whole = true;
  bool is_sound = true;
};

Read read_in_parts(const std::string& bytes, std::size_t part, std::size_t most = kMost) {
  Read all;
  SocketMessages reader(most, [&](std::string text, bool is_whole) {
    all.messages.push_back(std::move(text));
    all.is_whole = all.is_whole && is_whole;
  });
  for (std::size_t at = 0; at < bytes.size() && all.is_sound; at += part) {
    all.is_sound = reader.read(std::string_view(bytes).substr(at, part));
  }
  return all;
}

// A server's frame without compression, of a text of less than 126 bytes.
std::string frame(const std::string& text) {
  return "\x81"s + static_cast<char>(text.size()) + text;
}

struct Seen {
  std::vector<SocketExchanges::Part> parts;
  SocketExchanges exchanges{
      kMost, [this](SocketExchanges::Part part) { parts.push_back(std::move(part)); }};
};

}  // namespace

TEST_SUITE("proxy/socket") {
  TEST_CASE("the examples of RFC 6455, 5.7, in parts of any size") {
    const std::string masked = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"s;
    const std::string fragments = "\x01\x03\x48\x65\x6c\x80\x02\x6c\x6f"s;
    const std::string ping = "\x89\x05\x48\x65\x6c\x6c\x6f"s;
    const std::string medium = "\x82\x7e\x01\x00"s + std::string(256, 'a');
    const std::string large = "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"s + std::string(65536, 'b');
    const std::string all = "\x81\x05Hello"s + masked + "\x01\x03Hel"s + ping + "\x80\x02lo"s +
                            fragments + medium + large + "\x88\x00"s;
    for (const std::size_t part : {1U, 2U, 7U, 1000U, 100000U}) {
      const Read read = read_in_parts(all, part);
      CHECK(read.is_sound);
      CHECK(read.messages == std::vector<std::string>{"Hello", "Hello", "Hello", "Hello",
                                                      std::string(256, 'a'),
                                                      std::string(65536, 'b')});
    }
  }

  TEST_CASE("the examples of RFC 7692, 7.2.3: compressed messages") {
    const std::string plain = "\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00"s;
    const std::string fragments = "\x41\x03\xf2\x48\xcd\x80\x04\xc9\xc9\x07\x00"s;
    const std::string again = "\xc1\x05\xf2\x00\x11\x00\x00"s;  // Refers to the message before.
    const std::string stored = "\xc1\x0b\x00\x05\x00\xfa\xffHello\x00"s;
    const std::string ended = "\xc1\x08\xf3\x48\xcd\xc9\xc9\x07\x00\x00"s;  // BFINAL.
    const std::string blocks = "\xc1\x0d\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00"s;
    for (const std::size_t part : {1U, 3U, 1000U}) {
      const std::vector<std::string> two = {"Hello", "Hello"};
      CHECK(read_in_parts(plain + again, part).messages == two);
      CHECK(read_in_parts(fragments + stored, part).messages == two);
      CHECK(read_in_parts(ended + plain, part).messages == two);
      CHECK(read_in_parts(blocks + "\x81\x05Hello"s, part).messages == two);
    }
  }

  TEST_CASE("what is too long is passed by, also if it is only long when it is unpacked") {
    const std::string long_one = "\x81\x7e\x01\x00"s + std::string(256, 'a');
    const Read plain = read_in_parts(long_one + frame("next"), 100, 200);
    CHECK(plain.messages == std::vector<std::string>{"", "next"});
    CHECK_FALSE(plain.is_whole);
    // 64 kB of zeros, deflated.
    std::string bomb = "\xed\xc1\x01\x0d\x00\x00\x00\xc2\xa0\xf7\x4f\x6d\x0e\x37\xa0\x00"s;
    bomb += std::string(51, '\0');
    const Read packed =
        read_in_parts("\xc1"s + static_cast<char>(bomb.size()) + bomb + frame("next"), 5, 200);
    if (packed.is_sound) CHECK_FALSE(packed.is_whole);
  }

  TEST_CASE("what is not a WebSocket is said, and nothing is read of it") {
    for (const std::string& bytes : {
             "\xb1\x00"s,                                  // RSV2 and RSV3.
             "\x83\x00"s,                                  // An opcode that nobody has.
             "\x80\x00"s,                                  // Goes on with nothing.
             "\x01\x00\x81\x00"s,                          // A message within a message.
             "\x09\x00"s,                                  // A ping in pieces,
             "\x89\x7e\x01\x00"s,                          // and a long one.
             "\x81\xff\x80\x00\x00\x00\x00\x00\x00\x00"s,  // 2^63 bytes.
             "\xc1\x02\xff\xff"s,                          // Not deflated.
         }) {
      CAPTURE(bytes);
      CHECK_FALSE(read_in_parts(bytes + std::string(20, '\0'), 1).is_sound);
    }
  }

  TEST_CASE("a request ends with its response; streams are told apart; others are none") {
    Seen seen;
    const std::string one = R"({"type":"response.create","n":1})";
    const std::string two = R"({"type":"response.create","stream_id":"b","n":2})";
    const std::string ended = R"({"type":"response.completed"})";
    const std::string other = R"({"type":"response.failed","stream_id":"b"})";
    CHECK(seen.exchanges.is_idle());
    CHECK(seen.exchanges.read_client(frame(one), 10));
    CHECK(seen.exchanges.read_client(frame(two), 20));
    CHECK(seen.exchanges.read_client(frame(R"({"type":"response.cancel"})") + frame("1"), 25));
    CHECK(seen.parts.empty());
    CHECK(seen.exchanges.read_server(frame(R"({"type":"x"})") + frame(other), 30));
    REQUIRE(seen.parts.size() == 1);
    CHECK(seen.parts[0].request == two);
    CHECK(seen.parts[0].response == other + "\n");
    CHECK_FALSE(seen.exchanges.is_idle());
    CHECK(seen.exchanges.read_server(frame(ended), 40));
    REQUIRE(seen.parts.size() == 2);
    CHECK(seen.parts[1].request == one);
    CHECK(seen.parts[1].response == "{\"type\":\"x\"}\n" + ended + "\n");
    CHECK(seen.parts[1].begun == 10);
    CHECK(seen.parts[1].first_byte == 30);
    CHECK(seen.parts[1].end == 40);
    CHECK(seen.parts[1].ending == Ending::complete);
    CHECK(seen.exchanges.is_idle());
  }

  TEST_CASE("a message with line feeds is one line of the response") {
    Seen seen;
    CHECK(seen.exchanges.read_client(frame(R"({"type":"response.create"})"), 1));
    CHECK(seen.exchanges.read_server(frame("{\n \"type\":\n \"response.completed\"}\n"), 2));
    REQUIRE(seen.parts.size() == 1);
    CHECK(seen.parts[0].response == "{  \"type\":  \"response.completed\"} \n");
    CHECK(seen.parts[0].ending == Ending::complete);
  }

  TEST_CASE("a connection that ends gives what is open") {
    Seen seen;
    const std::string one = R"({"type":"response.create"})";
    CHECK(seen.exchanges.read_client(frame(one), 1));
    CHECK(seen.exchanges.read_server(frame("{}"), 2));
    seen.exchanges.close(Ending::upstream_cut, 3);
    REQUIRE(seen.parts.size() == 1);
    CHECK(seen.parts[0].response == "{}\n");
    CHECK(seen.parts[0].ending == Ending::upstream_cut);
    CHECK(seen.parts[0].end == 3);
  }
}
