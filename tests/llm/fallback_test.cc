#include "llm/fallback.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "llm/scripted.h"

using namespace spoor;
using llm::Attempt;
using llm::Failure;
using llm::ReplyEvent;
using llm::ScriptedProvider;
using Kind = Failure::Kind;

namespace {

/// Two providers, of which the first answers as told, and attempts at both.
struct World {
  explicit World(llm::Reply reply)
      : first({.name = "first"}, {{.reply = std::move(reply)}}, waiting),
        second({.name = "second"}, {{.reply = llm::say("from the second")}}, waiting) {}

  llm::FallbackReply complete() {
    const Attempt attempts[] = {
        {first, [] { return llm::Request{.model = "a", .body = "for a"}; }},
        {second, [] { return llm::Request{.model = "b", .body = "for b"}; }},
    };
    return llm::complete_with_fallback(attempts, [this](const ReplyEvent& event) {
      if (event.kind == ReplyEvent::Kind::waiting) told.emplace_back(event.text);
    });
  }

  llm::NoWaiting waiting;
  ScriptedProvider first;
  ScriptedProvider second;
  std::vector<std::string> told;
};

}  // namespace

TEST_SUITE("llm/fallback") {
  TEST_CASE("the first that answers is it, and no other is asked") {
    World world(llm::say("from the first"));
    const auto result = world.complete();
    CHECK(result.reply == llm::say("from the first"));
    CHECK(result.index == 0);
    CHECK(world.second.requests().empty());
    CHECK(world.told.empty());
  }

  TEST_CASE("a failure leads to the next, whose request is its own") {
    for (const Kind kind : {Kind::overloaded, Kind::quota, Kind::unauthorized, Kind::too_long,
                            Kind::invalid_request, Kind::network, Kind::malformed}) {
      World world(llm::fail({.kind = kind, .message = "no"}));
      const auto result = world.complete();
      CHECK(result.reply == llm::say("from the second"));
      CHECK(result.index == 1);
      CHECK(result.earlier == std::vector<Failure>{{.kind = kind, .message = "no"}});
      CHECK(world.second.requests().at(0).body == "for b");
    }
  }

  TEST_CASE("going on is told") {
    World world(llm::fail({.kind = Kind::overloaded}));
    world.complete();
    CHECK(world.told == std::vector<std::string>{"first: overloaded, going on with second"});
  }

  TEST_CASE("what was stopped, or had begun, is not asked of another") {
    World stopped(llm::fail({.kind = Kind::interrupted}));
    CHECK(stopped.complete().reply.failure->kind == Kind::interrupted);
    llm::Reply half = llm::say("half");
    half.failure = Failure{.kind = Kind::network};
    World begun(half);
    CHECK(begun.complete().reply == half);
    CHECK(begun.second.requests().empty());
  }

  TEST_CASE("a request that cannot be made is a failed attempt") {
    World world(llm::say("unasked"));
    const Attempt attempts[] = {
        {world.first, []() -> store::Result<llm::Request> { return store::invalid("no tools"); }},
        {world.second, [] { return llm::Request{}; }},
    };
    const auto result = llm::complete_with_fallback(attempts, {});
    CHECK(result.index == 1);
    CHECK(result.earlier.at(0).message == "no tools");
    CHECK(world.first.requests().empty());
  }

  TEST_CASE("the last failure is returned as it is, and no attempt is a bug") {
    World world(llm::say("x"));
    const Attempt only[] = {
        {world.first, []() -> store::Result<llm::Request> { return store::interrupted("stop"); }}};
    CHECK(llm::complete_with_fallback(only, {}).reply.failure->kind == Kind::interrupted);
    CHECK_THROWS_AS(llm::complete_with_fallback({}, {}), std::logic_error);
  }
}
