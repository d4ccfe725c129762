#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "graph/repository.h"
#include "import/importers.h"
#include "llm/source_usage.h"

namespace spoor::import {
namespace {

std::string attribute(const std::string& key, const std::string& text) {
  return R"({"key":")" + key + R"(","value":{"stringValue":)" + json::write_string(text) + "}}";
}

std::string span(const std::string& id, const std::string& attributes) {
  return R"({"traceId":"5b8aa5a2d2c872e8321cf37308d69df2","spanId":")" + id +
         R"(","name":"a span","startTimeUnixNano":"178000000000000000)" + id.back() +
         R"(","endTimeUnixNano":"1780000001000000000","attributes":[)" + attributes + "]}";
}

// The turns of the line that these spans become.
std::vector<compile::Turn> read_turns(const std::string& spans) {
  const std::string document = R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + spans + "]}]}]}";
  const auto repository = graph::Repository::in_memory();
  TextSource source("trace", document);
  const auto report = formats::kOtel.import(source, *repository, {}).value();
  std::vector<compile::Turn> turns;
  for (std::optional<store::Oid> at = report.main_tip; at;) {
    turns.insert(turns.begin(), graph::read_turn(repository->reader(), *at).value());
    const auto commit = repository->reader().commit(*at).value();
    at = commit->parents.empty() ? std::nullopt : std::optional(commit->parents[0]);
  }
  return turns;
}

// As `type text`.
std::vector<std::string> turns_of(const std::string& spans) {
  std::vector<std::string> turns;
  for (const compile::Turn& turn : read_turns(spans))
    turns.push_back(std::string(store::name_of(turn.type)) + " " + turn.text);
  return turns;
}

TEST_SUITE("import/otel_dialects") {
  TEST_CASE("Logfire's messages are events in an attribute") {
    const std::string events =
        R"([{"event.name":"gen_ai.system.message","content":"be brief","role":"system"},)"
        R"({"event.name":"gen_ai.user.message","content":"ring","role":"user"},)"
        R"({"event.name":"gen_ai.choice","index":0,"message":{"role":"assistant","content":"dong"}}])";
    CHECK(turns_of(span("00f067aa0ba902b1", attribute("gen_ai.operation.name", "chat") + "," +
                                                attribute("events", events))) ==
          std::vector<std::string>{"system be brief", "user ring", "assistant dong"});
  }

  TEST_CASE("tokens written to a cache are apart from the input, in each dialect") {
    for (const auto& names : std::vector<std::array<const char*, 2>>{
             {"gen_ai.usage.input_tokens", "gen_ai.usage.cache_creation.input_tokens"},
             {"gen_ai.usage.input_tokens", "gen_ai.usage.cache_creation_input_tokens"},
             {"llm.token_count.prompt", "llm.token_count.prompt_details.cache_write"},
             {"ai.usage.inputTokens", "ai.usage.inputTokenDetails.cacheWriteTokens"}}) {
      const char* const input = names[0];
      const char* const written = names[1];
      CAPTURE(written);
      const auto number = [](const std::string& key, int value) {
        return R"({"key":")" + key + R"(","value":{"intValue":")" + std::to_string(value) +
               R"("}})";
      };
      const auto turns = read_turns(span(
          "00f067aa0ba902b1",
          attribute("gen_ai.operation.name", "chat") + "," +
              attribute("gen_ai.output.messages",
                        R"([{"role":"assistant","parts":[{"type":"text","content":"dong"}]}])") +
              "," + number(input, 100) + "," + number(written, 30)));
      REQUIRE(!turns.empty());
      const std::string told(turns.back().facts.json(fact::usage));
      const auto document = json::parse(told).value();
      const llm::Usage usage = llm::read_source_usage(document.root()).usage;
      CHECK(usage.input == 70);
      CHECK(usage.cache_written == 30);
    }
  }

  TEST_CASE("OpenLLMetry's tools have a kind, a name and an output of their own") {
    const std::string call = attribute("gen_ai.operation.name", "chat") + "," +
                             attribute("gen_ai.prompt.0.role", "user") + "," +
                             attribute("gen_ai.prompt.0.content", "ring") + "," +
                             attribute("gen_ai.completion.0.role", "assistant") + "," +
                             attribute("gen_ai.completion.0.tool_calls.0.id", "call-7") + "," +
                             attribute("gen_ai.completion.0.tool_calls.0.name", "bell") + "," +
                             attribute("gen_ai.completion.0.tool_calls.0.arguments", "{}");
    const std::string tool = attribute("traceloop.span.kind", "tool") + "," +
                             attribute("traceloop.entity.name", "bell") + "," +
                             attribute("traceloop.entity.output", "dong");
    CHECK(turns_of(span("00f067aa0ba902b1", call) + "," + span("00f067aa0ba902b2", tool)) ==
          std::vector<std::string>{"user ring", "assistant ", "tool dong"});
  }

  TEST_CASE("a tool that raised an exception has it as its result") {
    const std::string call =
        attribute("gen_ai.operation.name", "chat") + "," +
        attribute("gen_ai.input.messages",
                  R"([{"role":"user","parts":[{"type":"text","content":"ring"}]}])") +
        "," +
        attribute(
            "gen_ai.output.messages",
            R"([{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"bell"}]}])");
    const std::string tool = attribute("gen_ai.operation.name", "execute_tool") + "," +
                             attribute("gen_ai.tool.name", "bell") + "," +
                             attribute("gen_ai.tool.call.id", "c1");
    const auto result_with = [&](const std::string& members) {
      std::string failed = span("00f067aa0ba902b2", tool);
      failed.insert(failed.size() - 1, "," + members);
      return turns_of(span("00f067aa0ba902b1", call) + "," + failed).back();
    };
    const std::string exception = R"("events":[{"name":"exception","attributes":[)" +
                                  attribute("exception.type", "KeyError") + "," +
                                  attribute("exception.message", "no bell") + "]}]";
    CHECK(result_with(R"("status":{"code":2},)" + exception) == "tool KeyError: no bell");
    CHECK(result_with(R"("status":{"code":2,"message":"it broke"},)" + exception) ==
          "tool it broke");
    CHECK(result_with(R"("status":{"code":1},)" + exception) == "tool ");
  }

  TEST_CASE("each trace of a file has the results that no message has") {
    const auto trace = [](char digit, std::string spans) {
      for (std::size_t at = 0; (at = spans.find("TRACE", at)) != std::string::npos;)
        spans.replace(at, 5, std::string(32, digit));
      return spans;
    };
    const std::string call =
        attribute("gen_ai.operation.name", "chat") + "," +
        attribute("gen_ai.input.messages",
                  R"([{"role":"user","parts":[{"type":"text","content":"ring"}]}])") +
        "," +
        attribute(
            "gen_ai.output.messages",
            R"([{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"bell"}]}])");
    const std::string tool = attribute("gen_ai.operation.name", "execute_tool") + "," +
                             attribute("gen_ai.tool.name", "bell") + "," +
                             attribute("gen_ai.tool.call.id", "c1") + "," +
                             attribute("gen_ai.tool.call.result", "dong");
    std::string both = span("00f067aa0ba902b1", call) + "," + span("00f067aa0ba902b2", tool);
    const std::string id = both.substr(both.find("traceId\":\"") + 10, 32);
    for (std::size_t at = 0; (at = both.find(id, at)) != std::string::npos;)
      both.replace(at, 32, "TRACE");
    const std::string document = R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" +
                                 trace('a', both) + "," + trace('b', both) + "]}]}]}";
    const auto repository = graph::Repository::in_memory();
    TextSource source("trace", document);
    const auto report = formats::kOtel.import(source, *repository, {}).value();
    int results = 0;
    for (const store::Ref& ref : repository->store().refs("refs/heads/").value()) {
      const auto turn = graph::read_turn(repository->reader(), ref.target).value();
      results += turn.type == compile::Type::tool && turn.text == "dong" ? 1 : 0;
    }
    CHECK(results == 2);
  }

  TEST_CASE("runs of tools and results find calls without an id by the tool's name") {
    const auto said = [](const std::string& place, const std::string& role,
                         const std::string& members) {
      return "," + attribute(place + ".message.role", role) + members;
    };
    const std::string kind = attribute("openinference.span.kind", "LLM");
    std::string id = "c1";
    const auto calls = [&](const std::string& place) {
      const std::string call = place + ".message.tool_calls.0.tool_call.";
      return said(place, "assistant",
                  (id.empty() ? std::string() : "," + attribute(call + "id", id)) + "," +
                      attribute(call + "function.name", "bell") + "," +
                      attribute(call + "function.arguments", "{}"));
    };
    const std::string question =
        said("llm.input_messages.0", "user",
             "," + attribute("llm.input_messages.0.message.content", "ring"));
    const auto result_of = [&](const std::string& name, const std::string& output) {
      const std::string first =
          span("00f067aa0ba902b1", kind + question + calls("llm.output_messages.0"));
      std::string run = span("00f067aa0ba902b2", attribute("openinference.span.kind", "TOOL") +
                                                     "," + attribute("tool.name", name) + "," +
                                                     attribute("output.value", output));
      run.insert(run.size() - 1, R"(,"status":{"code":2})");
      const std::string place = "llm.input_messages.2.message.";
      const std::string last =
          span("00f067aa0ba902b3",
               kind + question + calls("llm.input_messages.1") +
                   said("llm.input_messages.2", "tool",
                        "," + attribute(place + "content", "a \"dong\"") + "," +
                            attribute(place + "tool_call_id", id.empty() ? "bell" : id)) +
                   said("llm.output_messages.0", "assistant",
                        "," + attribute("llm.output_messages.0.message.content", "It rang.")));
      const auto turns = read_turns(first + "," + run + "," + last);
      REQUIRE(turns.size() == 4);
      REQUIRE(turns[2].text == "a \"dong\"");
      return turns[2];
    };
    for (const char* output : {"a \"dong\"", R"({"blocks":[{"text":"a \"dong\""}]})"}) {
      const compile::Turn result = result_of("bell", output);
      CHECK(result.fields.is_error);
      CHECK(result.facts.get(fact::duration_ms) == 1000);
    }
    CHECK_FALSE(result_of("gong", "a \"dong\"").fields.is_error);
    CHECK_FALSE(result_of("bell", "ding").fields.is_error);
    id = "";
    CHECK(result_of("bell", "a \"dong\"").fields.call_id == "call-1");
    CHECK(result_of("bell", "a \"dong\"").fields.is_error);
  }
}

}  // namespace
}  // namespace spoor::import
