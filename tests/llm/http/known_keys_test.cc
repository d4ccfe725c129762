// A provider that repeats the key it was asked with: no byte of it reaches the store.
#include <array>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "base/json/reader.h"
#include "compile/known_keys.h"
#include "llm/client.h"
#include "llm/generate.h"
#include "llm/http/curl_transport.h"
#include "llm/http/recorded_transport.h"
#include "llm/sent_prompt.h"
#include "tests/llm/http/fake_provider.h"
#include "tests/llm/replies.h"
#include "tests/support/holds.h"
#include "tests/support/stored.h"

using namespace spoor;
using namespace spoor::testing;
using compile::kKeyMark;
using llm::HttpProvider;
using llm::SentPrompt;
using llm::Wire;

namespace {

constexpr std::array kEchoing = {Wire::openai_chat, Wire::openai_responses, Wire::anthropic,
                                 Wire::gemini, Wire::ollama};

const std::string kSecret = "sk-echo/77aa88bb99cc+00dd==";
const std::string kCore = "77aa88bb99cc";

llm::Key known() { return llm::make_key(kSecret, "test").value(); }

llm::Candidate candidate_of(llm::Provider& provider) {
  llm::Candidate made;
  made.provider = &provider;
  made.model = "fake-1";
  return made;
}

// Says the key in its reasoning, its text and the arguments of its call.
Talk echo() {
  Talk talk;
  talk.thinking = "The key is " + kSecret + ", I think.";
  talk.text = "Your key is " + kSecret + ".";
  talk.call = compile::ToolCall{"c1", "send", R"({"key":")" + kSecret + R"("})"};
  return talk;
}

// One exchange that came as recorded, said to a branch of a store in memory.
struct Recorded {
  explicit Recorded(llm::http::Exchange exchange, Wire wire = Wire::anthropic)
      : transport({std::move(exchange)}),
        provider({.name = "recorded", .wire = wire, .base_url = "https://x"}, known(), transport,
                 clock) {}

  spoor::Result<llm::Generated> chat(const llm::GenerateOptions& options = {}) {
    return llm::chat(main, "q", candidate_of(provider), options);
  }

  std::string stored() { return all_stored(repository->store()); }

  ManualClock clock;
  llm::http::RecordedTransport transport;
  HttpProvider provider;
  std::unique_ptr<graph::Repository> repository = still_repository();
  graph::Branch main = repository->branch("main");
};

std::string joined(const std::vector<std::string>& frames) {
  std::string all;
  for (const std::string& frame : frames) all += frame;
  return all;
}

}  // namespace

TEST_SUITE("llm/known_keys") {
  TEST_CASE("a key that a model repeats is not stored, and no item that had it goes back") {
    for (const Wire wire : kEchoing) {
      for (const bool stream : {true, false}) {
        CAPTURE(name_of(wire));
        CAPTURE(stream);
        FakeProvider fake;
        fake.say([](Wire, const std::string&) { return echo(); });
        ManualClock clock;
        llm::http::CurlTransport transport;
        HttpProvider provider(fake.profile(wire), known(), transport, clock);
        const auto repository = still_repository();
        auto main = repository->branch("main");
        llm::GenerateOptions options;
        options.stream = stream;
        const auto first = llm::chat(main, "what is my key?", candidate_of(provider), options);
        REQUIRE(first);
        CHECK(holds(first->reply.text(), kSecret));
        main.tool("sent " + kSecret, "c1", "send").value();
        const auto second = llm::generate(main, candidate_of(provider), options);
        REQUIRE(second);

        const std::string all = all_stored(repository->store());
        CHECK_FALSE(holds(all, kCore));
        CHECK(holds(all, "Your key is " + std::string(kKeyMark) + "."));

        const std::string body = fake.requests().back().body;
        CAPTURE(body);
        CHECK_FALSE(holds(body, kCore));
        CHECK(holds(body, "Your key is " + std::string(kKeyMark) + "."));
        CHECK(spoor::json::parse(body));
        // What a provider signed is gone from the request, with its signature.
        CHECK_FALSE(holds(body, "c2ln"));
        CHECK_FALSE(holds(body, "Z2VoZWlt"));
        const auto& reader = repository->reader();
        for (const auto& made : {first->reasoning_commit, std::optional(first->commit)}) {
          if (!made) continue;
          const auto turn = graph::read_turn(reader, *made).value();
          bool has_mark = false;
          for (const auto& item : turn.raw) has_mark = has_mark || holds(item.bytes, kKeyMark);
          CHECK(turn.facts.get(fact::raw_altered) == has_mark);
        }
        // Both requests were made of what is stored, so both are exact.
        for (const auto& made : {first->commit, second->commit}) {
          const auto sent = llm::sent_prompt(*repository, made).value();
          CHECK(sent.verdict == SentPrompt::Verdict::verified);
        }
      }
    }
  }

  TEST_CASE("an item without the key goes back as before") {
    FakeProvider fake;
    Talk talk = echo();
    talk.thinking = "Let me think.";
    fake.say([&](Wire, const std::string&) { return talk; });
    ManualClock clock;
    llm::http::CurlTransport transport;
    HttpProvider provider(fake.profile(Wire::anthropic), known(), transport, clock);
    const auto repository = still_repository();
    auto main = repository->branch("main");
    llm::chat(main, "q", candidate_of(provider), {}).value();
    main.tool("sent", "c1", "send").value();
    llm::generate(main, candidate_of(provider), {}).value();
    CHECK(holds(fake.requests().back().body, R"("thinking":"Let me think.")"));
    CHECK(holds(fake.requests().back().body, "c2ln"));
  }

  TEST_CASE("a key in an error, in its headers or in a body that cannot be read is not stored") {
    const std::string error =
        error_body(Wire::anthropic, 400, "invalid_request_error", "bad key " + kSecret);
    const std::vector<llm::http::Exchange> exchanges = {
        {.status = 400, .headers = {{"request-id", "req_" + kSecret}}, .body = error},
        {.status = 301, .headers = {{"location", "https://y/?key=" + kSecret}}, .body = {}},
        {.status = 500, .headers = {}, .body = "proxy: Authorization: Bearer " + kSecret},
        {.body = "event: error\ndata: " + error + "\n\n"},
        {.body = "{" + kSecret},
        {.body = "<html>" + spoor::encode_base64("x:" + kSecret) + "</html>"},
    };
    for (const llm::http::Exchange& exchange : exchanges) {
      CAPTURE(exchange.body);
      Recorded world(exchange);
      const auto failed = world.chat();
      REQUIRE_FALSE(failed);
      CHECK_FALSE(holds(failed.error().message, kCore));
      const std::string all = world.stored();
      CHECK(holds(all, "call-failed"));
      CHECK_FALSE(holds(all, kCore));
      CHECK_FALSE(holds(all, spoor::encode_base64("x:" + kSecret).substr(8, 20)));
    }
  }

  TEST_CASE(
      "a stream that is cut inside the key, or unreadable behind it, keeps none of its pieces") {
    for (const Wire wire : kEchoing) {
      CAPTURE(name_of(wire));
      Talk talk;
      talk.text = "It is " + kSecret + ".";
      const auto frames = stream_frames(wire, talk);
      std::string broken = joined(frames);
      broken.resize(broken.size() * 3 / 4);
      for (const std::string& body :
           {broken, broken + "\ndata: {{{\n\n", joined(frames) + "{{{\n"}) {
        Recorded world({.body = body}, wire);
        const auto made = world.chat();
        const std::string all = world.stored();
        CHECK_FALSE(holds(all, kCore));
        if (!made) continue;
        const auto turn = graph::read_turn(world.repository->reader(), made->commit).value();
        for (const auto& attached : turn.attach) {
          CHECK_FALSE(compile::holds_known_key_in_pieces(attached.bytes));
        }
      }
    }
  }

  TEST_CASE("a request whose parameters or model held a key is never called exact") {
    const std::string whole = whole_body(Wire::anthropic, Talk());
    for (const bool in_model : {false, true}) {
      Recorded world({.body = whole});
      llm::Candidate candidate = candidate_of(world.provider);
      if (in_model) {
        candidate.model = "m-" + kSecret;
      } else {
        candidate.params = R"({"metadata":{"user_id":")" + kSecret + R"("}})";
      }
      const auto made = llm::chat(world.main, "q", candidate, {}).value();
      CHECK_FALSE(holds(world.stored(), kCore));
      const auto sent = llm::sent_prompt(*world.repository, made.commit).value();
      CHECK(sent.verdict == SentPrompt::Verdict::cannot_rebuild);
      CHECK(sent.withheld == SentPrompt::Withheld::altered);
      CHECK(sent.why == "it held a known key, which was not stored");
      CHECK(sent.body.empty());
    }
  }

  TEST_CASE("a body that a hook put a key into is stored without it, and is never called exact") {
    Recorded world({.body = whole_body(Wire::anthropic, Talk())});
    llm::Hooks hooks;
    hooks.rewrite_with(
        "adds/1", [](const std::string&) -> spoor::Result<std::optional<std::string>> {
          return std::optional<std::string>(R"({"model":"fake-1","messages":[],"k":")" + kSecret +
                                            R"("})");
        });
    llm::GenerateOptions options;
    options.hooks = &hooks;
    const auto made = world.chat(options).value();
    const std::string all = world.stored();
    CHECK_FALSE(holds(all, kCore));
    CHECK(holds(all, R"("k":")" + std::string(kKeyMark)));
    const auto sent = llm::sent_prompt(*world.repository, made.commit).value();
    CHECK(sent.verdict != SentPrompt::Verdict::verified);
    CHECK(sent.withheld == SentPrompt::Withheld::altered);
  }

  TEST_CASE(
      "a document of the user's out of which a key was taken is not sent as it was attached") {
    for (const bool has_key : {false, true}) {
      Recorded world({.body = {}});
      compile::Turn turn{.type = compile::Type::user, .text = "read this"};
      turn.raw = {{R"({"type":"document","source":{"type":"text","media_type":"text/plain",)"
                   R"("data":"the notes )" +
                   (has_key ? kSecret : std::string("x")) + R"("}})"}};
      const auto tip = world.main.commit(turn).value();
      const auto rendered =
          llm::render_request(*world.repository, tip, candidate_of(world.provider), {}).value();
      CHECK(holds(rendered.body, "read this"));
      CHECK(holds(rendered.body, "the notes") == !has_key);
    }
  }
}
