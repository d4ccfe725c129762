#include "llm/price.h"

#include <doctest/doctest.h>

#include <limits>
#include <set>

using namespace spoor;
using namespace spoor::llm;
using spoor::Error;

namespace {

Price price_of(std::string_view rates, std::string_view model = "m") {
  return parse_price("p", model, rates).value();
}

Usage whole_usage(std::uint64_t input, std::uint64_t cached, std::uint64_t written,
                  std::uint64_t output) {
  Usage usage;
  usage.input = input;
  usage.cached = cached;
  usage.cache_written = written;
  usage.output = output;
  return usage;
}

std::string found(const PriceList& list, std::string_view model) {
  const Price* price = list.find("p", model);
  return price == nullptr ? "none" : price->model;
}

}  // namespace

TEST_SUITE("llm/price") {
  TEST_CASE("a call costs its tokens times their rates") {
    const Price price = price_of("input=3 cached=0.3 write=3.75 output=15");
    const auto cost = cost_of(whole_usage(1'000'000, 2'000'000, 400'000, 100'000), price);
    REQUIRE(cost);
    CHECK(dollars(cost->amount) == "6.60");  // 3 + 0.6 + 1.5 + 1.5
    CHECK_FALSE(cost->is_lower_bound);
  }

  TEST_CASE("reasoning is paid as a part of the output, not again") {
    Usage usage = whole_usage(0, 0, 0, 1'000'000);
    usage.reasoning = 900'000;
    CHECK(dollars(cost_of(usage, price_of("input=1 output=15"))->amount) == "15.00");
  }

  TEST_CASE("small amounts are exact, and rounded once") {
    const Price price = price_of("input=0.0028 cached=0.0005 output=0.0002");
    // 1 * 2.8 + 1 * 0.5 + 1 * 0.2 nano-dollars: rounded apart it would be 3 + 1 + 0.
    CHECK(cost_of(whole_usage(1, 1, 0, 1), price)->amount == Money{4});
    CHECK(cost_of(whole_usage(1, 0, 0, 0), price)->amount == Money{3});
    CHECK(cost_of(whole_usage(0, 1, 0, 1), price)->amount == Money{1});
  }

  TEST_CASE("an unknown count that has a price makes a lower bound") {
    const Price price = price_of("input=1 cached=0.1 output=5");
    Usage usage = whole_usage(1'000'000, 0, 0, 0);
    usage.output.reset();
    CHECK(cost_of(usage, price) == Cost{{1'000'000'000}, true});
    usage = whole_usage(1'000'000, 0, 0, 0);
    usage.cached.reset();
    CHECK(cost_of(usage, price) == Cost{{1'000'000'000}, true});
  }

  TEST_CASE("an unknown count without a price, or with a price of zero, changes nothing") {
    Usage usage = whole_usage(1'000'000, 0, 0, 0);
    usage.cache_written.reset();
    CHECK(cost_of(usage, price_of("input=1 cached=0 output=5")) == Cost{{1'000'000'000}, false});
    usage.cached.reset();
    CHECK(cost_of(usage, price_of("input=1 cached=0 output=5")) == Cost{{1'000'000'000}, false});
  }

  TEST_CASE("tokens without a price make a lower bound") {
    CHECK(cost_of(whole_usage(1'000'000, 5, 0, 0), price_of("input=1 output=5")) ==
          Cost{{1'000'000'000}, true});
  }

  TEST_CASE("unknown is not zero") {
    CHECK_FALSE(cost_of(Usage{}, price_of("input=1 output=5")));
    CHECK_FALSE(cost_of(whole_usage(1, 7, 0, 0), price_of("write-hour=1")));
    CHECK(cost_of(whole_usage(0, 7, 0, 0), price_of("input=1")) == Cost{{0}, true});
    CHECK(cost_of(whole_usage(0, 0, 0, 0), price_of("input=1 cached=1 output=5")) ==
          Cost{{0}, false});
  }

  TEST_CASE("a long request pays the long rates for all of it") {
    const Price price = price_of("input=2 cached=0.2 output=10 above=1000 input=4 output=15");
    CHECK(cost_of(whole_usage(600, 400, 0, 1000), price)->amount == Money{11'280'000});
    // The reading of a cache has no long rate here, so there may be more.
    CHECK(cost_of(whole_usage(601, 400, 0, 1000), price) == Cost{{17'404'000}, true});
  }

  TEST_CASE("where the long rates are unknown, so is the cost") {
    const Price price = price_of("input=2 output=10 above=1000");
    CHECK(cost_of(whole_usage(1000, 0, 0, 1), price));
    CHECK_FALSE(cost_of(whole_usage(1001, 0, 0, 1), price));
  }

  TEST_CASE("what is kept for an hour costs more, where the provider says so") {
    const Price price = price_of("input=1 cached=0 write=2 write-hour=4 output=0");
    Usage usage = whole_usage(0, 0, 1'000'000, 0);
    CHECK(dollars(cost_of(usage, price)->amount) == "2.00");
    usage.raw = R"({"cache_creation":{"ephemeral_5m_input_tokens":750000,)"
                R"("ephemeral_1h_input_tokens":250000}})";
    CHECK(dollars(cost_of(usage, price)->amount) == "2.50");
    usage.raw = R"({"cache_creation":{"ephemeral_1h_input_tokens":99000000}})";
    CHECK(dollars(cost_of(usage, price)->amount) == "4.00");
    usage.raw = R"({"cache_creation":{"ephemeral_1h_input_tokens":-5}})";
    CHECK(dollars(cost_of(usage, price)->amount) == "2.00");
  }

  TEST_CASE("counts beyond reason do not wrap") {
    const auto most = std::numeric_limits<std::uint64_t>::max();
    const auto cost = cost_of(whole_usage(most, most, 0, most), price_of("input=9000 cached=9000 "
                                                                         "output=9000"));
    REQUIRE(cost);
    CHECK(cost->amount.nano_dollars == std::numeric_limits<std::int64_t>::max());
  }

  TEST_CASE("the longest pattern wins") {
    const PriceList list({price_of("input=1", "*"), price_of("input=2", "gpt-*"),
                          price_of("input=3", "gpt-5*"), price_of("input=4", "gpt-5-mini*"),
                          price_of("input=5", "*-mini")});
    CHECK(found(list, "gpt-5-mini") == "gpt-5-mini*");
    CHECK(found(list, "gpt-5-pro") == "gpt-5*");
    CHECK(found(list, "gpt-4o-mini") == "*-mini");
    CHECK(found(list, "gpt-4o") == "gpt-*");
    CHECK(found(list, "llama") == "*");
  }

  TEST_CASE("the date of a snapshot may be said or not") {
    const PriceList list({price_of("input=1", "a-4"), price_of("input=2", "a-4-20250101")});
    CHECK(found(list, "a-4") == "a-4");
    CHECK(found(list, "a-4-20250929") == "a-4");
    CHECK(found(list, "a-4-2025-09-29") == "a-4");
    CHECK(found(list, "a-4-20250101") == "a-4-20250101");
    CHECK(found(list, "a-4-5") == "none");
    CHECK(found(list, "a-4-12345678") == "none");
  }

  TEST_CASE("a provider's price is its own") {
    const PriceList list({price_of("input=1", "*")});
    CHECK(list.find("q", "m") == nullptr);
  }

  TEST_CASE("one's own price goes before a built-in one") {
    const auto own = parse_price("anthropic", "claude-opus-4-5", "input=1 output=2").value();
    const PriceList list({own});
    CHECK(*list.find("anthropic", "claude-opus-4-5-20251101") == own);
    CHECK(list.find("anthropic", "claude-opus-4-6") != nullptr);
    const auto all = parse_price("anthropic", "*", "input=1 output=2").value();
    CHECK(PriceList({all}).find("anthropic", "claude-opus-4-6")->rates.input ==
          Money{5'000'000'000});
    CHECK(*PriceList({all}).find("anthropic", "claude-opus-99") == all);
  }

  TEST_CASE("the built-in prices are whole, and none stands there twice") {
    std::set<std::pair<std::string, std::string>> seen;
    for (const Price& price : built_in_prices()) {
      CAPTURE(price.model);
      CHECK(price.rates.input);
      CHECK(price.rates.output);
      CHECK(seen.emplace(price.provider, price.model).second);
    }
    CHECK(PriceList().find("anthropic", "claude-3-9-opus") == nullptr);
    CHECK(PriceList().find("openai", "gpt-99") == nullptr);
    CHECK(PriceList().find("nobody", "gpt-4o") == nullptr);
    CHECK(PriceList().find("openai-chat", "gpt-4o") == PriceList().find("openai", "gpt-4o"));
  }

  TEST_CASE("a price that is not understood names the word") {
    for (const char* rates :
         {"", "input", "input=", "input=-1", "input=x", "inputs=1", "input=1 input=2", "input=9001",
          "input=1 above=x", "input=1 above=5 above=6", "above=5 input=1", "input=1;output=2"}) {
      CAPTURE(rates);
      const auto price = parse_price("p", "m", rates);
      REQUIRE_FALSE(price);
      CHECK(price.error().code == Error::Code::invalid);
    }
    CHECK(parse_price("p", "m", "input=1 colour=3").error().message ==
          "the price of 'p/m': 'colour=3' is not understood");
  }
}
