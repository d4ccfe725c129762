#include "llm/cost_tracker.h"

#include <doctest/doctest.h>

#include <limits>
#include <thread>
#include <vector>

using namespace spoor;
using namespace spoor::llm;

namespace {

constexpr Cost kQuarter{{250'000'000}, false};

Usage usage_of(std::uint64_t input, std::uint64_t output) {
  Usage usage;
  usage.input = input;
  usage.cached = 0;
  usage.cache_written = 0;
  usage.output = output;
  usage.reasoning = 0;
  return usage;
}

}  // namespace

TEST_SUITE("llm/cost_tracker") {
  TEST_CASE("calls are summed, each kind of token for itself") {
    CostTracker tracker;
    Usage usage = usage_of(100, 20);
    usage.cached = 50;
    usage.cache_written = 7;
    usage.reasoning = 15;
    tracker.add(usage, kQuarter, {"p/a"});
    tracker.add(usage_of(1, 2), Cost{{1}, false}, {"p/a"});

    const Spending total = tracker.total();
    CHECK(total.calls == 2);
    CHECK(total.input == TokenSum{101, 0});
    CHECK(total.cached == TokenSum{50, 0});
    CHECK(total.cache_written == TokenSum{7, 0});
    CHECK(total.output == TokenSum{22, 0});
    CHECK(total.reasoning == TokenSum{15, 0});
    CHECK(total.cost == Money{250'000'001});
    CHECK(total.is_cost_exact());
  }

  TEST_CASE("reasoning is part of the output, and counted once") {
    CostTracker tracker;
    Usage usage = usage_of(10, 30);
    usage.reasoning = 25;
    tracker.add(usage, kQuarter, {"p/a"});
    CHECK(tracker.total().tokens() == 40);
  }

  TEST_CASE("what is unknown is counted apart, and is not zero") {
    CostTracker tracker;
    tracker.add(Usage{}, std::nullopt, {"p/a"});
    Usage partial;
    partial.input = 5;
    tracker.add(partial, Cost{{3}, true}, {"p/a"});

    const Spending total = tracker.total();
    CHECK(total.input == TokenSum{5, 1});
    CHECK(total.output == TokenSum{0, 2});
    CHECK(total.cost == Money{3});
    CHECK(total.unknown_costs == 1);
    CHECK(total.lower_bounds == 1);
    CHECK_FALSE(total.is_cost_exact());
  }

  TEST_CASE("a tool's cost is money without tokens") {
    CostTracker tracker;
    tracker.add(kQuarter, {"tool/search"});
    CHECK(tracker.total().cost == kQuarter.amount);
    CHECK(tracker.total().calls == 0);
    CHECK(tracker.total().output == TokenSum{0, 0});
  }

  TEST_CASE("what a child has booked is not counted again") {
    CostTracker tracker;
    tracker.add(usage_of(10, 5), kQuarter, {"p/child"});
    tracker.add(kQuarter, {"tool/ask_child", Booking::By::child});
    tracker.add(usage_of(10, 5), kQuarter, {"p/child", Booking::By::child});
    CHECK(tracker.total().cost == kQuarter.amount);
    CHECK(tracker.total().calls == 1);
    CHECK(tracker.total().tokens() == 15);
    CHECK(tracker.total().booked_by_child == 2);
  }

  TEST_CASE("a kept reply costs nothing more") {
    CostTracker tracker;
    tracker.add(usage_of(10, 5), kQuarter, {"p/a"});
    tracker.add(usage_of(10, 5), kQuarter, {"p/a", Booking::By::before});
    CHECK(tracker.total().cost == kQuarter.amount);
    CHECK(tracker.total().calls == 1);
    CHECK(tracker.total().kept_replies == 1);
  }

  TEST_CASE("models are told apart") {
    CostTracker tracker;
    tracker.add(usage_of(1, 0), kQuarter, {"p/b"});
    tracker.add(usage_of(2, 0), std::nullopt, {"p/a"});
    tracker.add(usage_of(4, 0), kQuarter, {"p/b"});
    const auto by_model = tracker.by_model();
    REQUIRE(by_model.size() == 2);
    CHECK(by_model.at("p/a").unknown_costs == 1);
    CHECK(by_model.at("p/b").input.known == 5);
    CHECK(by_model.at("p/b").cost == Money{500'000'000});
  }

  TEST_CASE("a budget counts from its own mark on") {
    CostTracker tracker;
    tracker.add(Cost{{5'000'000'000}, false}, {"earlier"});
    tracker.add(usage_of(9'999, 0), std::nullopt, {"earlier"});
    const Spending mark = tracker.mark();
    CHECK(tracker.since(mark) == Spending{});

    tracker.add(usage_of(6, 4), kQuarter, {"p/a"});
    const Spending spent = tracker.since(mark);
    CHECK(spent.cost == kQuarter.amount);
    CHECK(spent.tokens() == 10);
    CHECK(spent.calls == 1);
    CHECK(spent.unknown_costs == 0);
  }

  TEST_CASE("counts beyond reason do not wrap") {
    CostTracker tracker;
    const auto most = std::numeric_limits<std::uint64_t>::max();
    tracker.add(usage_of(most, most), kQuarter, {"p/a"});
    tracker.add(usage_of(most, 1), kQuarter, {"p/a"});
    CHECK(tracker.total().input.known == most);
    CHECK(tracker.total().tokens() == most);
  }

  TEST_CASE("many threads share one") {
    CostTracker tracker;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&tracker] {
          for (int i = 0; i < 1000; ++i) {
            tracker.add(usage_of(2, 1), Cost{{1}, false}, {"p/a"});
            const Spending seen = tracker.total();
            // One state: output is half of input in each.
            if (seen.input.known != 2 * seen.output.known) std::abort();
          }
        });
      }
    }
    CHECK(tracker.total().calls == 4000);
    CHECK(tracker.total().cost == Money{4000});
    CHECK(tracker.by_model().at("p/a") == tracker.total());
  }
}
