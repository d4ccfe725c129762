#include "llm/reply_codec.h"
#include "tests/support/soak.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace spoor;
using namespace spoor::llm;
using spoor::Error;

namespace {

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  KeptReply kept() {
    KeptReply kept;
    Reply& reply = kept.reply;
    for (std::size_t i = below(5); i > 0; --i) {
      reply.pieces.push_back(
          {static_cast<Piece::Kind>(below(4)), text(), {text(), text(), text()}, text()});
    }
    reply.format = text();
    reply.id = text();
    reply.model = text();
    reply.finish_reason = text();
    for (auto* count : {&reply.usage.input, &reply.usage.cached, &reply.usage.cache_written,
                        &reply.usage.output, &reply.usage.reasoning}) {
      if (below(2) == 0) *count = number();
    }
    reply.usage.raw = text();
    reply.raw = text();
    reply.transformations = text();
    if (below(3) == 0) reply.failure = failure();
    for (std::size_t i = below(9); i > 0; --i) {
      kept.events.push_back({static_cast<ReplyEvent::Kind>(below(4)), text()});
    }
    return kept;
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  Failure failure() {
    Failure failure;
    failure.kind = static_cast<Failure::Kind>(below(12));
    failure.status = static_cast<int>(random_());
    failure.type = text();
    failure.message = text();
    failure.raw = text();
    if (below(2) == 0) {
      failure.retry_after = std::chrono::milliseconds(static_cast<std::int64_t>(number()));
    }
    if (below(2) == 0) failure.should_retry = below(2) == 0;
    return failure;
  }

  std::uint64_t number() {
    const std::uint64_t wide = (std::uint64_t{random_()} << 32U) | random_();
    return below(8) == 0 ? std::numeric_limits<std::uint64_t>::max() : wide >> below(64);
  }

  std::string text() {
    std::string text(below(3) == 0 ? below(300) : below(4), '\0');
    for (char& c : text) c = static_cast<char>(random_());
    return text;
  }

  std::mt19937 random_;
};

}  // namespace

TEST_SUITE("llm/reply_codec") {
  TEST_CASE("a reply comes back as it was, whatever is in it") {
    Generator generator(spoor::testing::seeded(11));
    for (int i = 0; i < spoor::testing::rounds(2000); ++i) {
      const KeptReply kept = generator.kept();
      const auto back = decode_reply(encode_reply(kept));
      REQUIRE(back);
      CHECK(back.value() == kept);
    }
    CHECK(decode_reply(encode_reply({})).value() == KeptReply{});
  }

  TEST_CASE("a signature and a raw item are bytes, and stay so") {
    KeptReply kept;
    kept.reply.pieces.push_back({Piece::Kind::reasoning,
                                 "",
                                 {},
                                 R"({"type":"thinking","thinking":"","signature":"Eq\/0=="} )"});
    kept.reply.format = "thinking";
    CHECK(decode_reply(encode_reply(kept)).value() == kept);
  }

  TEST_CASE("that it came from a cache is not written") {
    KeptReply kept;
    kept.reply.from_cache = true;
    CHECK(decode_reply(encode_reply(kept)).value() == KeptReply{});
  }

  TEST_CASE("no bytes but the writer's are read") {
    Generator generator(spoor::testing::seeded(12));
    for (int i = 0; i < spoor::testing::rounds(300); ++i) {
      const std::string bytes = encode_reply(generator.kept());
      std::string damaged = bytes;
      switch (generator.below(3)) {
        case 0:
          damaged.resize(generator.below(bytes.size()));
          break;
        case 1:
          damaged += static_cast<char>(generator.below(256));
          break;
        default:
          damaged[generator.below(bytes.size())] = static_cast<char>(generator.below(256));
      }
      const auto back = decode_reply(damaged);
      if (back) {
        CHECK(encode_reply(back.value()) == damaged);
      } else {
        CHECK(back.error().code == Error::Code::corrupt);
      }
    }
  }

  TEST_CASE("lengths beyond the bytes, long numbers and other versions are refused") {
    const std::string magic = "spoor reply 1\n";
    CHECK_FALSE(decode_reply(""));
    CHECK_FALSE(decode_reply(magic));
    CHECK_FALSE(decode_reply(magic + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
    CHECK_FALSE(decode_reply(magic + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"));
    CHECK_FALSE(decode_reply(magic + std::string(20, '\xff')));
    std::string other = encode_reply({});
    CHECK(decode_reply(other));
    other[12] = '2';
    CHECK_FALSE(decode_reply(other));
    std::string longer = encode_reply({});
    longer.replace(magic.size(), 1, std::string("\x80\0", 2));  // No pieces, in two bytes.
    CHECK_FALSE(decode_reply(longer));
  }
}
