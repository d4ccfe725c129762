#include "llm/scripted.h"

#include <doctest/doctest.h>

#include <thread>

using namespace spoor;
using namespace std::chrono_literals;
using llm::Failure;
using llm::Piece;
using llm::ReplyEvent;
using llm::ScriptedAnswer;
using llm::ScriptedProvider;

namespace {

struct Heard {
  std::vector<std::pair<ReplyEvent::Kind, std::string>> events;

  llm::OnEvent listener() {
    return [this](const ReplyEvent& event) { events.emplace_back(event.kind, event.text); };
  }
};

llm::Profile profile() { return {.name = "scripted", .needs_key = false}; }

llm::Reply thoughtful_reply() {
  llm::Reply reply;
  reply.pieces = {{.kind = Piece::Kind::reasoning, .text = "hmm"},
                  {.kind = Piece::Kind::text, .text = "äöü"},
                  {.kind = Piece::Kind::call, .call = {"c1", "grep", "{}"}}};
  return reply;
}

}  // namespace

TEST_SUITE("llm/scripted") {
  TEST_CASE("answers come in order, and past the end there is none") {
    llm::NoWaiting waiting;
    ScriptedProvider provider(profile(), {{.reply = llm::say("one")}, {.reply = llm::say("two")}},
                              waiting);
    CHECK(provider.complete({}, {}) == llm::say("one"));
    CHECK(provider.complete({}, {}) == llm::say("two"));
    const llm::Reply last = provider.complete({}, {});
    CHECK(last.failure->kind == Failure::Kind::invalid_request);
    CHECK(last.failure->message == "the script has 2 answers, and this is call 3");
  }

  TEST_CASE("a function may answer by the request, and the requests are kept") {
    llm::NoWaiting waiting;
    ScriptedProvider provider(
        profile(),
        [](const llm::Request& request, std::size_t number) {
          return ScriptedAnswer{.reply = llm::say(request.model + std::to_string(number))};
        },
        waiting);
    CHECK(provider.complete({.model = "a"}, {}) == llm::say("a0"));
    CHECK(provider.complete({.model = "b", .body = "{}"}, {}) == llm::say("b1"));
    CHECK(provider.requests().at(1).body == "{}");
  }

  TEST_CASE("it streams whole characters, and names calls") {
    llm::NoWaiting waiting;
    ScriptedProvider provider(profile(), {{.reply = thoughtful_reply(), .event_size = 3}}, waiting);
    Heard heard;
    CHECK(provider.complete({}, heard.listener()) == thoughtful_reply());
    using Kind = ReplyEvent::Kind;
    CHECK(heard.events == std::vector<std::pair<Kind, std::string>>{{Kind::reasoning, "hmm"},
                                                                    {Kind::text, "äö"},
                                                                    {Kind::text, "ü"},
                                                                    {Kind::call, "grep"}});
  }

  TEST_CASE("a failure comes after the pieces") {
    llm::NoWaiting waiting;
    llm::Reply broken = llm::say("half");
    broken.failure = Failure{.kind = Failure::Kind::network, .message = "reset"};
    ScriptedProvider provider(profile(), {{.reply = broken}}, waiting);
    Heard heard;
    CHECK(provider.complete({}, heard.listener()) == broken);
    CHECK(heard.events.size() == 1);
  }

  TEST_CASE("stopped, it returns what was told") {
    llm::NoWaiting waiting;
    ScriptedProvider provider(profile(), {{.reply = thoughtful_reply(), .event_size = 2}}, waiting);
    std::stop_source stop;
    std::size_t count = 0;
    const llm::Reply reply = provider.complete({.stop = stop.get_token()}, [&](const ReplyEvent&) {
      if (++count == 3) stop.request_stop();
    });
    CHECK(reply.failure->kind == Failure::Kind::interrupted);
    REQUIRE(reply.pieces.size() == 2);
    CHECK(reply.pieces[1].text == "ä");
  }

  TEST_CASE("another thread ends its delay at once") {
    llm::RealWaiting waiting;
    ScriptedProvider provider(profile(), {{.reply = llm::say("late"), .before = 1h}}, waiting);
    std::stop_source stop;
    std::jthread other([&] { stop.request_stop(); });
    const llm::Reply reply = provider.complete({.stop = stop.get_token()}, {});
    CHECK(reply.failure->kind == Failure::Kind::interrupted);
    CHECK(reply.pieces.empty());
  }
}
