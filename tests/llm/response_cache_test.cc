#include "llm/response_cache.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "compile/known_keys.h"
#include "llm/reply_codec.h"
#include "llm/scripted.h"

using namespace spoor;
using namespace spoor::llm;
using spoor::store::CacheFile;
namespace fs = std::filesystem;

namespace {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "spoor-replies-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
  }
  ~Scratch() { fs::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path() const { return folder_ + "/s-replies"; }

 private:
  std::string folder_;
};

// Answers with the number of the call, after some thought with a signature.
ScriptedAnswer answer(const Request&, std::size_t number) {
  ScriptedAnswer answer;
  Reply& reply = answer.reply;
  reply.pieces.push_back({Piece::Kind::reasoning,
                          "a thought of some length",
                          {},
                          R"({"type":"thinking","signature":"c2ln\/"})"});
  reply.pieces.push_back({Piece::Kind::text, "answer " + std::to_string(number), {}, ""});
  reply.pieces.push_back({Piece::Kind::call, "", {"c1", "grep", R"({ "p": 1.0 })"}, "{}"});
  reply.format = "thinking";
  reply.usage.output = 12;
  reply.usage.raw = R"({"output_tokens": 12})";
  return answer;
}

struct Cached {
  explicit Cached(const std::string& path, ScriptedProvider::Script script = answer,
                  const char* base_url = "https://example.org") {
    auto provider = std::make_unique<ScriptedProvider>(
        Profile{"p", Wire::anthropic, base_url, "", false}, std::move(script), waiting);
    inner = provider.get();
    cache = std::make_unique<ResponseCache>(std::move(provider),
                                            std::move(CacheFile::open(path, {})).value());
  }

  KeptReply ask(const std::string& body, const std::string& model = "m",
                std::stop_token stop = {}) const {
    KeptReply seen;
    Request request;
    request.model = model;
    request.body = body;
    request.stop = std::move(stop);
    seen.reply = cache->complete(request, [&](const ReplyEvent& event) {
      seen.events.push_back({event.kind, std::string(event.text)});
    });
    return seen;
  }

  std::size_t calls() const { return inner->requests().size(); }

  NoWaiting waiting;
  ScriptedProvider* inner = nullptr;
  std::unique_ptr<ResponseCache> cache;
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_SUITE("llm/response_cache") {
  TEST_CASE("the second time the same events and the same reply, without a call") {
    const Scratch scratch;
    const Cached cached(scratch.path());
    const KeptReply first = cached.ask("body");
    CHECK_FALSE(first.reply.from_cache);
    KeptReply second = cached.ask("body");
    CHECK(cached.calls() == 1);
    CHECK(second.reply.from_cache);
    second.reply.from_cache = false;
    CHECK(second == first);
    CHECK(second.events.size() > 3);
    CHECK_FALSE(cached.cache->problem());
  }

  TEST_CASE("it outlives the process") {
    const Scratch scratch;
    const KeptReply first = Cached(scratch.path()).ask("body");
    const Cached later(scratch.path());
    CHECK(later.ask("body").reply.pieces == first.reply.pieces);
    CHECK(later.calls() == 0);
  }

  TEST_CASE("another body, model or address is another request") {
    const Scratch scratch;
    const Cached cached(scratch.path());
    cached.ask("body");
    cached.ask("body ");
    cached.ask("body", "m2");
    cached.ask("2body", "m");
    CHECK(cached.calls() == 4);
    const Cached elsewhere(scratch.path(), answer, "https://example.com");
    elsewhere.ask("body");
    CHECK(elsewhere.calls() == 1);
  }

  TEST_CASE("a failed reply is not kept") {
    const Scratch scratch;
    const Cached cached(scratch.path(), [](const Request& request, std::size_t number) {
      ScriptedAnswer answered = answer(request, number);
      if (number == 0) answered.reply.failure.emplace();
      return answered;
    });
    CHECK(cached.ask("body").reply.failure);
    CHECK_FALSE(cached.ask("body").reply.failure);
    CHECK(cached.ask("body").reply.from_cache);
    CHECK(cached.calls() == 2);
  }

  TEST_CASE("a stopped call is stopped, kept or not") {
    const Scratch scratch;
    const Cached cached(scratch.path());
    cached.ask("body");
    std::stop_source stop;
    stop.request_stop();
    const KeptReply seen = cached.ask("body", "m", stop.get_token());
    REQUIRE(seen.reply.failure);
    CHECK(seen.reply.failure->kind == Failure::Kind::interrupted);
    CHECK(seen.events.empty());
  }

  TEST_CASE("the file holds no text of a request") {
    const Scratch scratch;
    Cached(scratch.path()).ask("a private question");
    CHECK(bytes_of(scratch.path()).find("private question") == std::string::npos);
  }

  TEST_CASE("an entry that cannot be read is asked for again") {
    const Scratch scratch;
    const Cached cached(scratch.path());
    cached.ask("body");
    const std::string file = bytes_of(scratch.path());
    {
      std::fstream damaged(scratch.path(), std::ios::binary | std::ios::in | std::ios::out);
      damaged.seekp(static_cast<std::streamoff>(file.find("a thought")));
      damaged << "A";
    }
    const Cached later(scratch.path());
    CHECK_FALSE(later.ask("body").reply.from_cache);
    CHECK(later.calls() == 1);
    CHECK(later.ask("body").reply.from_cache);
  }

  TEST_CASE("a file that cannot be written stops no call") {
    const Scratch scratch;
    const Cached cached(scratch.path());
    cached.ask("body");
    // Somebody else has made it another file meanwhile.
    fs::remove(scratch.path());
    std::ofstream(scratch.path()) << "something else";
    CHECK(cached.ask("other").reply.text() == "answer 1");
  }

  TEST_CASE("many threads share one") {
    const Scratch scratch;
    const Cached cached(scratch.path(), [](const Request& request, std::size_t) {
      ScriptedAnswer answered;
      answered.reply.pieces.push_back({Piece::Kind::text, "to " + request.body, {}, ""});
      return answered;
    });
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
          for (int i = 0; i < 20; ++i) {
            const std::string body = std::to_string(i % 5);
            if (cached.ask(body).reply.text() != "to " + body) std::abort();
          }
        });
      }
    }
    CHECK(cached.calls() >= 5);
    CHECK(cached.ask("0").reply.from_cache);
  }

  TEST_CASE("a reply that repeats a known key is not kept, though it came in pieces") {
    spoor::compile::know_key("sk-cached-0123456789abcdef");
    const Scratch scratch;
    const auto echo = [](const Request& request, std::size_t number) {
      ScriptedAnswer made = answer(request, number);
      if (request.body == "{}") made.reply.pieces[1].text = "it is sk-cached-0123456789abcdef";
      made.event_size = 8;
      return made;
    };
    {
      const Cached cached(scratch.path(), echo);
      for (int i = 0; i < 2; ++i) CHECK_FALSE(cached.ask("{}").reply.from_cache);
      cached.ask("{ }");
      CHECK(cached.ask("{ }").reply.from_cache);
      CHECK(cached.calls() == 3);
    }
    std::ifstream file(scratch.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    CHECK(bytes.find("answer 2") != std::string::npos);
    CHECK(bytes.find("it is") == std::string::npos);
    CHECK(bytes.find("0123456789") == std::string::npos);
  }
}
