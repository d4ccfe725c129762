#include "llm/source_usage.h"

#include <doctest/doctest.h>

#include <string>

using spoor::compile::FactsView;
using spoor::llm::usage_trust;
using spoor::llm::UsageTrust;

namespace {

UsageTrust trust_of(const std::string& meta) {
  FactsView facts;
  REQUIRE(facts.read(meta));
  return usage_trust(facts);
}

spoor::llm::Usage usage_of(const std::string& json) {
  const auto document = spoor::json::parse(json);
  REQUIRE(document);
  return spoor::llm::read_source_usage(document->root()).usage;
}

}  // namespace

TEST_SUITE("llm/source_usage") {
  TEST_CASE("usage of Claude Code's without a stop reason is partial") {
    const std::string usage = R"("usage":{"input_tokens":3,"output_tokens":1})";
    CHECK(trust_of(R"({"source":"claude-code",)" + usage + "}") == UsageTrust::partial);
    CHECK(trust_of(R"({"finish_reason":"end_turn","source":"claude-code",)" + usage + "}") ==
          UsageTrust::reported);
    CHECK(trust_of(R"({"source":"codex",)" + usage + "}") == UsageTrust::reported);
  }

  TEST_CASE("without a count that can be read nothing is known") {
    CHECK(trust_of("{}") == UsageTrust::unknown);
    CHECK(trust_of(R"({"source":"claude-code"})") == UsageTrust::unknown);
    CHECK(trust_of(R"({"usage":{"input":"3.2k"}})") == UsageTrust::unknown);
    CHECK(trust_of(R"({"tokens":{"input":3}})") == UsageTrust::reported);
    CHECK(name_of(UsageTrust::partial) == "partial");
  }

  TEST_CASE("usage of Codex' counts cached tokens in the input, and reasoning in the output") {
    const auto usage =
        usage_of(R"({"input_tokens":1000,"cached_input_tokens":600,"cache_write_input_tokens":100,)"
                 R"("output_tokens":50,"reasoning_output_tokens":20,"total_tokens":1050})");
    CHECK(usage.input == 300U);
    CHECK(usage.cached == 600U);
    CHECK(usage.cache_written == 100U);
    CHECK(usage.output == 50U);
    CHECK(usage.reasoning == 20U);
  }
}
