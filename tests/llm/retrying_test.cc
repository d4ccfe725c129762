#include "llm/retrying.h"

#include <doctest/doctest.h>

#include <thread>

#include "llm/scripted.h"

using namespace spoor;
using namespace std::chrono_literals;
using llm::Failure;
using llm::ReplyEvent;
using llm::RetryingProvider;
using llm::RetryPolicy;
using llm::ScriptedAnswer;
using llm::ScriptedProvider;
using Kind = Failure::Kind;

namespace {

/// Notes what it is asked for, and lets no time pass.
class NotedWaiting final : public llm::Waiting {
 public:
  void wait(std::chrono::milliseconds time, const std::stop_token&) override {
    waits.push_back(time);
  }
  std::vector<std::chrono::milliseconds> waits;
};

class NoChance final : public llm::Chance {
 public:
  double fraction() override { return 0; }
};

/// A retrying provider in front of a script of failures, then a success.
struct World {
  explicit World(std::vector<Failure> failures, RetryPolicy policy = {}) {
    std::vector<ScriptedAnswer> answers;
    for (Failure& failure : failures) answers.push_back({.reply = llm::fail(std::move(failure))});
    answers.push_back({.reply = llm::say("at last")});
    provider.emplace(llm::Profile{.name = "scripted"}, std::move(answers), no_waiting);
    retrying.emplace(*provider, policy, waiting, chance);
  }

  llm::Reply complete(const llm::Request& request = {}) {
    return retrying->complete(request, [this](const ReplyEvent& event) {
      if (event.kind == ReplyEvent::Kind::waiting) told.emplace_back(event.text);
    });
  }

  std::size_t calls() const { return provider->requests().size(); }

  llm::NoWaiting no_waiting;
  NotedWaiting waiting;
  NoChance chance;
  std::optional<ScriptedProvider> provider;
  std::optional<RetryingProvider> retrying;
  std::vector<std::string> told;
};

Failure status(int number, Kind kind) { return {.kind = kind, .status = number}; }

}  // namespace

TEST_SUITE("llm/retrying") {
  TEST_CASE("a failure that may pass is tried again, each time after twice the wait") {
    World world({status(529, Kind::overloaded), status(500, Kind::server),
                 status(429, Kind::rate_limited), status(408, Kind::timeout)});
    llm::Reply expected = llm::say("at last");
    expected.attempts = 5;
    CHECK(world.complete() == expected);
    CHECK(world.calls() == 5);
    CHECK(world.waiting.waits ==
          std::vector<std::chrono::milliseconds>{250ms, 500ms, 1000ms, 2000ms});
    CHECK(world.told.at(0) == "overloaded (529): again in 0.2 s, 1 of 12");
    CHECK(world.told.at(3) == "timeout (408): again in 2.0 s, 4 of 4");
  }

  TEST_CASE("after the last retry the failure is returned") {
    World world(std::vector<Failure>(9, status(500, Kind::server)));
    CHECK(world.complete().failure->status == 500);
    CHECK(world.calls() == 5);
    CHECK(world.waiting.waits.size() == 4);
  }

  TEST_CASE("a provider that is only busy is waited for longer") {
    World world(std::vector<Failure>(20, status(529, Kind::overloaded)));
    CHECK(world.complete().failure->status == 529);
    CHECK(world.calls() == 13);
    std::chrono::milliseconds waited{0};
    for (const auto& wait : world.waiting.waits) waited += wait;
    CHECK(waited > 2min);
    CHECK(waited < 10min);
  }

  TEST_CASE("the provider's wait is obeyed, unless it is longer than we wait") {
    Failure asked = status(429, Kind::rate_limited);
    asked.retry_after = 7s;
    World world({asked});
    CHECK_FALSE(world.complete().failure);
    CHECK(world.waiting.waits == std::vector<std::chrono::milliseconds>{7s});

    asked.retry_after = 601s;
    World too_long({asked});
    CHECK(too_long.complete().failure->retry_after == 601s);
    CHECK(too_long.calls() == 1);
  }

  TEST_CASE("a wait that is longer than what is left is not begun") {
    Failure asked = status(429, Kind::rate_limited);
    asked.retry_after = 7s;
    World world({asked, asked, asked});
    llm::Request request;
    request.most_wait = 15s;
    const llm::Reply reply = world.complete(request);
    CHECK(reply.failure->not_waited == 7s);
    CHECK(world.waiting.waits == std::vector<std::chrono::milliseconds>{7s, 7s});
    CHECK(world.calls() == 3);
  }

  TEST_CASE("x-should-retry goes before the status, in both directions") {
    Failure never = status(529, Kind::overloaded);
    never.should_retry = false;
    World first({never});
    CHECK(first.complete().failure);
    CHECK(first.calls() == 1);

    Failure always = status(400, Kind::invalid_request);
    always.should_retry = true;
    World second({always});
    CHECK_FALSE(second.complete().failure);
    CHECK(second.calls() == 2);
  }

  TEST_CASE("what will not pass is not tried again") {
    Failure paid_out = status(429, Kind::quota);
    paid_out.retry_after = 1s;
    paid_out.should_retry = true;  // Says the server; the month's money says no.
    for (const Failure& failure :
         {paid_out, status(400, Kind::invalid_request), status(401, Kind::unauthorized),
          status(404, Kind::not_found), status(413, Kind::too_long), status(0, Kind::malformed),
          status(0, Kind::interrupted), status(0, Kind::invalid_request)}) {
      World world({failure});
      CHECK(world.complete().failure->kind == failure.kind);
      CHECK(world.calls() == 1);
      CHECK(world.told.empty());
    }
  }

  TEST_CASE("no connection, silence and an error event before any piece are tried again") {
    for (const Kind kind :
         {Kind::network, Kind::timeout, Kind::overloaded, Kind::server, Kind::rate_limited}) {
      World world({status(0, kind)});
      CHECK_FALSE(world.complete().failure);
      CHECK(world.calls() == 2);
    }
    CHECK(llm::is_worth_retrying(status(409, Kind::invalid_request)));
  }

  TEST_CASE("a stream that breaks after a piece is returned as it broke") {
    llm::Reply half = llm::say("half an ans");
    half.failure = status(0, Kind::network);
    llm::NoWaiting no_waiting;
    NotedWaiting waiting;
    NoChance chance;
    ScriptedProvider provider({.name = "scripted"}, {{.reply = half}}, no_waiting);
    RetryingProvider retrying(provider, {}, waiting, chance);
    CHECK(retrying.complete({}, {}) == half);
    CHECK(provider.requests().size() == 1);
  }

  TEST_CASE("jitter stays within the second half of the wait, and waits have an end") {
    const Failure failure = status(500, Kind::server);
    const RetryPolicy policy{.first = 1s, .longest = 10s};
    CHECK(llm::wait_before(1, failure, policy, 0) == 500ms);
    CHECK(llm::wait_before(1, failure, policy, 0.5) == 750ms);
    CHECK(llm::wait_before(3, failure, policy, 0) == 2s);
    CHECK(llm::wait_before(5, failure, policy, 0.999) < 10s);
    CHECK(llm::wait_before(1'000'000, failure, policy, 0) == 5s);
  }

  TEST_CASE("another thread ends a wait at once") {
    llm::NoWaiting no_waiting;
    llm::RealWaiting waiting;
    llm::RealChance chance;
    Failure asked = status(429, Kind::rate_limited);
    asked.retry_after = 1h;
    asked.message = "slow down";
    ScriptedProvider provider({.name = "scripted"}, {{.reply = llm::fail(asked)}}, no_waiting);
    RetryingProvider retrying(provider, {.longest_asked = 2h}, waiting, chance);
    std::stop_source stop;
    std::jthread other;
    const auto reply = retrying.complete({.stop = stop.get_token()}, [&](const ReplyEvent&) {
      other = std::jthread([&] { stop.request_stop(); });
    });
    CHECK(reply.failure->kind == Kind::interrupted);
    CHECK(reply.failure->message == "the call was stopped while it waited, after: slow down");
    CHECK(provider.requests().size() == 1);
  }

  TEST_CASE("chance lies between 0 and 1") {
    llm::RealChance chance;
    for (int i = 0; i < 1000; ++i) {
      const double fraction = chance.fraction();
      CHECK(fraction >= 0);
      CHECK(fraction < 1);
    }
  }
}
