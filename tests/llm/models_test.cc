#include "llm/models/model_facts.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "llm/models/default_params.h"
#include "llm/models/refused_params.h"
#include "llm/params.h"

using namespace spoor;
using namespace spoor::llm;
using nlohmann::json;

namespace {

json defaults(std::string_view provider, std::string_view model,
              const json& given = json::object()) {
  const Profile profile = find_profile(provider).value();
  return json::parse(default_params(profile, model, given.dump()).value());
}

json effort(std::string_view provider, std::string_view model, std::string_view level) {
  return json::parse(effort_params(find_profile(provider).value(), model, level).value().params);
}

// A refusal as OpenAI's API words it.
Failure refusal(const std::string& message, const std::string& param = {}) {
  Failure failure{.kind = Failure::Kind::invalid_request, .status = 400, .message = message};
  json error = {{"message", message}};
  if (!param.empty()) error["param"] = param;
  failure.raw = json({{"error", error}}).dump();
  return failure;
}

std::optional<json> correction(const Failure& failure, const json& params) {
  const auto made = correction_for(failure, params.dump());
  return made ? std::optional(json::parse(made->patch)) : std::nullopt;
}

}  // namespace

TEST_SUITE("llm/models") {
  TEST_CASE("a model is known by its name, whoever serves it") {
    for (const char* name :
         {"claude-opus-4-6", "anthropic/claude-opus-4.6", "us.anthropic.claude-opus-4-6-v1:0",
          "claude-opus-4-6@20260205", "claude-opus-4-6[1m]", "Claude-Opus-4-6-20260205"}) {
      CAPTURE(name);
      CHECK(facts_of(name) == facts_of("claude-opus-4-6"));
      CHECK(facts_of(name).context == 1'000'000);
      CHECK(facts_of(name).takes_sampling);
    }
    CHECK(facts_of("gpt-5.2-2025-12-11") == facts_of("gpt-5.2"));
    CHECK(facts_of("claude-opus-5") != facts_of("claude-opus-5-5"));
    CHECK(facts_of("qwen3:8b") == ModelFacts());
    // Newer than the table.
    CHECK(facts_of("claude-sonnet-9").thinking == Thinking::hidden);
    CHECK(facts_of("claude-sonnet-9").efforts == facts_of("claude-sonnet-5-5").efforts);
    CHECK(facts_of("anthropic.claude-opus-5-20260801-v1:0") == facts_of("claude-opus-5"));
    CHECK(facts_of("ft:gpt-4o-mini:me") == facts_of("gpt-4o"));
    CHECK_FALSE(facts_of("claude-sonnet-9").takes_sampling);
  }

  TEST_CASE("a prompt leaves room for the answer") {
    CHECK(prompt_tokens(facts_of("claude-opus-5-5")) == 726'000);
    CHECK(prompt_tokens(facts_of("claude-sonnet-4-5")) == 126'000);
    CHECK(prompt_tokens(facts_of("gpt-4")) == 3'072);
    CHECK(prompt_tokens(facts_of("unknown")) == 0);
  }

  TEST_CASE("the defaults are what the model takes") {
    const json cached = {{"type", "ephemeral"}};
    CHECK(defaults("anthropic", "claude-opus-5-5") ==
          json({{"max_tokens", 128'000},
                {"cache_control", cached},
                {"thinking", {{"type", "adaptive"}, {"display", "summarized"}}}}));
    CHECK(defaults("anthropic", "claude-opus-4-6")["thinking"] == json({{"type", "adaptive"}}));
    CHECK(defaults("anthropic", "claude-haiku-4-5")["thinking"] ==
          json({{"type", "enabled"}, {"budget_tokens", 16'000}}));
    CHECK(defaults("anthropic", "claude-3-5-haiku-20241022") ==
          json({{"max_tokens", 8'192}, {"cache_control", cached}}));
    CHECK(defaults("openai", "gpt-5")["reasoning"] == json({{"summary", "auto"}}));
    CHECK(defaults("openai", "gpt-4o") == json({{"store", false}}));
    CHECK(defaults("gemini", "gemini-2.0-flash") == json::object());
    CHECK(defaults("gemini", "gemini-3-pro-preview")["generationConfig"]["thinkingConfig"] ==
          json({{"includeThoughts", true}}));
    CHECK(defaults("openrouter", "anthropic/claude-opus-5.5") == json({{"cache_control", cached}}));
    CHECK(defaults("openrouter", "qwen/qwen3") == json::object());
    // Under names of one's own.
    for (auto [known, model] : {std::pair("openrouter", "anthropic/claude-opus-5.5"),
                                std::pair("anthropic", "claude-opus-5-5")}) {
      Profile profile = find_profile(known).value();
      profile.name = "gateway";
      const auto made = json::parse(default_params(profile, model, {}).value());
      CHECK(made["cache_control"] == cached);
    }
    CHECK(defaults("ollama", "qwen3") == json::object());
  }

  TEST_CASE("a budget of thinking is left out where it excludes what the caller asks for") {
    for (const json& given :
         {json{{"temperature", 0}}, json{{"top_p", 0.9}}, json{{"tool_choice", {{"type", "any"}}}},
          json{{"thinking", {{"type", "disabled"}}}}, json{{"max_tokens", 1'500}}}) {
      CAPTURE(given.dump());
      CHECK_FALSE(defaults("anthropic", "claude-sonnet-4-5", given).contains("thinking"));
    }
    CHECK(defaults("anthropic", "claude-sonnet-4-5", {{"max_tokens", 4'000}})["thinking"] ==
          json({{"type", "enabled"}, {"budget_tokens", 2'000}}));
    CHECK_FALSE(defaults("anthropic", "claude-opus-5", {{"max_tokens", 9}}).contains("max_tokens"));
  }

  TEST_CASE("an effort is asked for in the model's way") {
    CHECK(effort("anthropic", "claude-opus-5-5", "high") ==
          json({{"output_config", {{"effort", "high"}}}}));
    CHECK(effort("anthropic", "claude-opus-5-5", "none") ==
          json({{"output_config", {{"effort", "low"}}}}));
    CHECK(effort("anthropic", "claude-opus-5", "none") ==
          json({{"thinking", {{"type", "disabled"}}}}));
    CHECK(effort("anthropic", "claude-sonnet-5-5", "none") ==
          json({{"thinking", {{"type", "between_tools"}}}}));
    CHECK(effort("anthropic", "claude-sonnet-4-5", "low") ==
          json({{"thinking", {{"type", "enabled"}, {"budget_tokens", 4'096}}}}));
    CHECK(effort("openai", "gpt-5.1", "max") == json({{"reasoning", {{"effort", "high"}}}}));
    CHECK(effort("openai", "gpt-5", "none") == json({{"reasoning", {{"effort", "minimal"}}}}));
    CHECK(effort("openai-chat", "gpt-6-astra", "max") == json({{"reasoning_effort", "max"}}));
    CHECK(effort("openai", "gpt-4o", "high") == json::object());
    CHECK(effort("openrouter", "x/y", "low") == json({{"reasoning", {{"effort", "low"}}}}));
    CHECK(effort("gemini", "gemini-2.5-flash", "none") ==
          json::parse(R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}})"));
    CHECK(effort("gemini", "gemini-2.5-pro", "none") ==
          json::parse(R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":4096}}})"));
    CHECK(effort("gemini", "gemini-3-pro-preview", "medium") ==
          json::parse(R"({"generationConfig":{"thinkingConfig":{"thinkingLevel":"low"}}})"));
    CHECK(effort("ollama", "qwen3", "none") == json({{"think", false}}));
    CHECK(effort("ollama", "gpt-oss:20b", "low") == json({{"think", "low"}}));
    const Profile profile = find_profile("openai").value();
    CHECK(effort_params(profile, "gpt-5", "huge").error().code == Error::Code::invalid);
    CHECK(effort_params(profile, "gpt-5.1", "max").value().note ==
          "gpt-5.1 has no effort 'max': it is asked for 'high'");
    CHECK(effort_params(profile, "gpt-5.1", "high").value().note.empty());
  }

  TEST_CASE("a wish that the model is known to refuse is not sent, and said") {
    const Profile profile = find_profile("anthropic").value();
    Params params;
    params.temperature = "0.5";
    CHECK(write_params(profile, "claude-opus-4-6", params).value().params ==
          R"({"temperature":0.5})");
    const auto refused = write_params(profile, "claude-opus-4-7", params).value();
    CHECK(refused.params.empty());
    CHECK(refused.notes.at(0) == "claude-opus-4-7 takes no temperature: none is sent");
    params.effort = "low";
    CHECK(write_params(profile, "claude-sonnet-4-5", params).value().notes.size() == 1);
    params.temperature = "warm";
    CHECK(write_params(profile, "claude-opus-4-7", params).error().code == Error::Code::invalid);
  }

  // Messages as the APIs send them, from recorded errors.
  TEST_CASE("a refused parameter is left out") {
    const json params = {{"temperature", 0},
                         {"thinking", {{"type", "enabled"}, {"budget_tokens", 2'000}}},
                         {"output_config", {{"effort", "xhigh"}}},
                         {"reasoning", {{"effort", "minimal"}, {"summary", "auto"}}},
                         {"include", {"reasoning.encrypted_content"}},
                         {"cache_control", {{"type", "ephemeral"}}}};
    struct Case {
      Failure failure;
      json patch;
    };
    const std::vector<Case> cases = {
        {refusal("`temperature` is deprecated for this model."), {{"temperature", nullptr}}},
        {refusal("Unsupported parameter: 'temperature' is not supported with this model.",
                 "temperature"),
         {{"temperature", nullptr}}},
        {refusal("\"thinking.type.enabled\" is not supported for this model. Use "
                 "\"thinking.type.adaptive\" and \"output_config.effort\" to control thinking "
                 "behavior."),
         {{"thinking", nullptr}}},
        {refusal("adaptive thinking is not supported on this model"), {{"thinking", nullptr}}},
        {refusal("This model does not support the effort parameter."),
         {{"output_config", {{"effort", nullptr}}}}},
        {refusal("Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. "
                 "Supported values are: 'none', 'low', 'medium', and 'high'.",
                 "reasoning.effort"),
         {{"reasoning", {{"effort", nullptr}}}}},
        {refusal("Your organization must be verified to generate reasoning summaries. Please go "
                 "to: …",
                 "reasoning.summary"),
         {{"reasoning", {{"summary", nullptr}}}}},
        {refusal("Encrypted content is not supported with this model.", "include"),
         {{"include", nullptr}}},
        {refusal("cache_control: Extra inputs are not permitted"), {{"cache_control", nullptr}}},
    };
    for (const Case& one : cases) {
      CAPTURE(one.failure.message);
      const auto patch = correction(one.failure, params);
      REQUIRE(patch);
      CHECK(patch->dump() == one.patch.dump());
    }
    CHECK(
        correction(refusal("Function tools with reasoning_effort are not supported for gpt-5.5 in "
                           "/v1/chat/completions. To use function tools, use /v1/responses or set "
                           "reasoning_effort to 'none'.",
                           "reasoning_effort"),
                   json::object())
            ->dump() == R"({"reasoning_effort":"none"})");
    CHECK(correction(refusal("\"llama3\" does not support thinking"), {{"think", true}})->dump() ==
          R"({"think":null})");
    CHECK(correction(
              refusal("Thinking is not enabled for models/gemini-x"),
              json::parse(R"({"generationConfig":{"thinkingConfig":{"includeThoughts":true}}})"))
              ->dump() == R"({"generationConfig":{"thinkingConfig":null}})");
  }

  TEST_CASE("an answer is asked for as long as the server allows") {
    const auto patch = correction(
        refusal("max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens "
                "for claude-3-5-haiku-20241022"),
        {{"max_tokens", 64'000}});
    CHECK(patch->dump() == R"({"max_tokens":8192})");
    CHECK(correction(refusal("max_tokens is too large: 200000. This model supports at most 16384 "
                             "completion tokens, whereas you provided 200000.",
                             "max_tokens"),
                     {{"max_tokens", 200'000}})
              ->dump() == R"({"max_tokens":16384})");
    CHECK(correction(refusal("Unsupported parameter: 'max_tokens' is not supported with this "
                             "model. Use 'max_completion_tokens' instead.",
                             "max_tokens"),
                     {{"max_tokens", 500}})
              ->dump() == R"({"max_completion_tokens":500,"max_tokens":null})");
    CHECK(correction(refusal("Unable to submit request because it has a maxOutputTokens value of "
                             "65536 but the supported range is from 1 (inclusive) to 8193 "
                             "(exclusive)."),
                     json::parse(R"({"generationConfig":{"maxOutputTokens":65536}})"))
              ->dump() == R"({"generationConfig":{"maxOutputTokens":8192}})");
  }

  TEST_CASE("only a parameter that is refused as such is left out") {
    const json params = {{"thinking", {{"type", "adaptive"}}},
                         {"temperature", 20},
                         {"store", false},
                         {"include", {"x"}},
                         {"reasoning", {{"effort", "hihg"}}}};
    for (const char* message :
         {"The vector store was not found", "temperature: expected a value <= 2",
          "Request must include at least one message", "invalid model for extended thinking",
          "Provider returned error: messages.1.content.0: thinking blocks are not supported here",
          "Invalid prompt: it was flagged. See https://example.com/docs/guides/reasoning#advice",
          "`max_tokens` must be greater than `thinking.budget_tokens`."}) {
      CAPTURE(message);
      CHECK_FALSE(correction(refusal(message), params));
    }
    // A value that is not taken: not for the next time.
    const auto value = correction_for(
        refusal("Unsupported value: 'hihg' is not supported with this model.", "reasoning.effort"),
        params.dump());
    REQUIRE(value);
    CHECK_FALSE(value->is_lasting);
  }

  TEST_CASE("numbers are read with their separators") {
    CHECK(correction(refusal("max_tokens must be at most 32,768"), {{"max_tokens", 64'000}})
              ->dump() == R"({"max_tokens":32768})");
    CHECK(correction(refusal("max_tokens: 64,000 > 8,192, the maximum"), {{"max_tokens", 64'000}})
              ->dump() == R"({"max_tokens":8192})");
  }

  TEST_CASE("a refusal of the history changes no parameter") {
    const json params = {{"thinking", {{"type", "adaptive"}}}, {"temperature", 0}};
    for (const Failure& failure :
         {refusal("messages.1.content.0: Invalid `signature` in `thinking` block"),
          refusal("messages: text content blocks must be non-empty"),
          refusal("Invalid type for 'input[0].temperature'", "input[0].temperature"),
          refusal("the thinking block's signature does not match")}) {
      CAPTURE(failure.message);
      CHECK_FALSE(correction(failure, params));
    }
    Failure other = refusal("temperature");
    other.kind = Failure::Kind::rate_limited;
    CHECK_FALSE(correction(other, params));
    // The provider's own way out, for this request only.
    const Failure loop = refusal(
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
        "`tool_use`. When `thinking` is enabled, a final `assistant` message must start with a "
        "thinking block. To avoid this requirement, disable `thinking`.");
    const auto way_out = correction_for(loop, params.dump());
    REQUIRE(way_out);
    CHECK(way_out->patch == R"({"thinking":null})");
    CHECK_FALSE(way_out->is_lasting);
  }

  TEST_CASE("a patch removes, limits and reaches in") {
    CHECK(corrected(R"({"a":1,"b":{"c":1,"d":2}})", R"({"a":null,"b":{"c":null}})").value() ==
          R"({"b":{"d":2}})");
    CHECK(corrected(R"({"n":5})", R"({"n":9})").value() == R"({"n":5})");
    CHECK(corrected(R"({"n":50})", R"({"n":9})").value() == R"({"n":9})");
    CHECK(corrected("{}", R"({"a":{"b":null}})").value() == "{}");
    CHECK(corrected("", "").value() == "{}");
    CHECK(corrected("[]", "{}").error().code == Error::Code::invalid);
    CHECK(joined_patches(R"({"a":null})", R"({"b":{"c":null}})").value() ==
          R"({"a":null,"b":{"c":null}})");
  }
}
