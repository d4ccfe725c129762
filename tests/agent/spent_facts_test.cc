#include "agent/spent_facts.h"

#include <doctest/doctest.h>

using namespace spoor;
using namespace spoor::agent;
using spoor::compile::FactsView;

namespace {

TokenCost cost_in(std::string_view meta) {
  FactsView facts;
  REQUIRE(facts.read(meta));
  const spoor::llm::Usage usage = read_usage(facts);
  return {.input = request_tokens(usage), .output = usage.output, .money = read_money(facts)};
}

}  // namespace

TEST_SUITE("agent/spent_facts") {
  TEST_CASE("our own counts, and with them what came out of a cache and went into it") {
    const TokenCost cost =
        cost_in(R"({"tokens":{"input":3,"cached":20,"cache_written":100,"output":7,"reasoning":5},)"
                R"("usage":{"input_tokens":999,"output_tokens":999},"cost_usd":0.25})");
    CHECK(cost.input == 123);
    CHECK(cost.output == 7);
    CHECK(cost.tokens() == 130);
    CHECK(cost.money == spoor::llm::parse_dollars("0.25"));
  }

  TEST_CASE("where there are none, those of the provider's own object") {
    const TokenCost anthropic =
        cost_in(R"({"usage":{"input_tokens":3,"cache_read_input_tokens":20,)"
                R"("cache_creation_input_tokens":100,"output_tokens":7}})");
    CHECK(anthropic.input == 123);
    CHECK(anthropic.output == 7);
    CHECK_FALSE(anthropic.money);
    const TokenCost openai = cost_in(R"({"usage":{"prompt_tokens":3,"completion_tokens":7}})");
    CHECK(openai.input == 3);
    CHECK(openai.output == 7);
  }

  TEST_CASE("agents call the same counts by names of their own") {
    const auto all = [](std::string_view usage) {
      return cost_in("{\"usage\":" + std::string(usage) + "}");
    };
    // Pi: what came out of a cache is apart; the cost is a sum.
    const TokenCost pi =
        all(R"({"cacheRead":17216,"cacheWrite":4,"cost":{"input":0.5,"total":0.75},)"
            R"("input":525,"output":92,"reasoning":41,"totalTokens":17837})");
    CHECK(pi.input == 17745);
    CHECK(pi.output == 92);
    CHECK(pi.money == spoor::llm::parse_dollars("0.75"));
    // OpenCode: reasoning is apart too.
    const TokenCost opencode =
        all(R"({"cache":{"read":22336,"write":0},"input":966,"output":40,"reasoning":61})");
    CHECK(opencode.input == 23302);
    CHECK(opencode.output == 101);
    // Gemini CLI: what came out of a cache is within, thoughts are not.
    const TokenCost gemini =
        all(R"({"cached":11835,"input":12117,"output":16,"thoughts":45,"tool":0,"total":12178})");
    CHECK(gemini.input == 12117);
    CHECK(gemini.output == 61);
    // Cline: within.
    const TokenCost cline =
        all(R"({"cacheReadTokens":12224,"cacheWriteTokens":0,"cost":0.00012664,)"
            R"("inputTokens":12238,"outputTokens":10})");
    CHECK(cline.input == 12238);
    CHECK(cline.output == 10);
    CHECK(cline.money == spoor::llm::parse_dollars("0.00012664"));
    // Kimi Code: what came out of a cache is apart.
    const TokenCost kimi =
        all(R"({"inputCacheCreation":30,"inputCacheRead":24064,"inputOther":267,"output":42})");
    CHECK(kimi.input == 24361);
    CHECK(kimi.output == 42);
    // The names of two providers in one object, as LiteLLM writes them, are one count.
    const TokenCost both = all(R"({"prompt_tokens":100,"completion_tokens":7,)"
                               R"("cache_read_input_tokens":60,"prompt_tokens_details":)"
                               R"({"cached_tokens":60}})");
    CHECK(both.input == 100);
    CHECK_FALSE(all(R"({"input":"many","output":[]})").is_known());
    CHECK_FALSE(all("[1,2]").is_known());
  }

  TEST_CASE("what is not told is not known, which is not nothing") {
    CHECK_FALSE(cost_in("{}").is_known());
    CHECK_FALSE(cost_in(R"({"usage":{"input_tokens":-1,"output_tokens":"7"}})").is_known());
    const TokenCost half = cost_in(R"({"tokens":{"output":7}})");
    CHECK_FALSE(half.input);
    CHECK(half.tokens() == 7);
    CHECK(cost_in(R"({"tokens":{"input":0}})").is_known());
  }

  TEST_CASE("a sum knows what any of its parts knows") {
    TokenCost sum;
    add(sum, {.input = 5, .output = {}, .money = {}});
    add(sum, {.input = 1, .output = 2, .money = spoor::llm::parse_dollars("1")});
    add(sum, {});
    CHECK(sum.input == 6);
    CHECK(sum.output == 2);
    CHECK(sum.money == spoor::llm::parse_dollars("1"));
  }
}
