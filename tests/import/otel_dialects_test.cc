#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/json/writer.h"
#include "graph/repository.h"
#include "import/importers.h"

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

// The turns of the line that these spans become, as `type text`.
std::vector<std::string> turns_of(const std::string& spans) {
  const std::string document = R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + spans + "]}]}]}";
  const auto repository = graph::Repository::in_memory();
  TextSource source("trace", document);
  const auto report = formats::kOtel.import(source, *repository, {}).value();
  std::vector<std::string> turns;
  for (std::optional<store::Oid> at = report.main_tip; at;) {
    const auto turn = graph::read_turn(repository->reader(), *at).value();
    turns.insert(turns.begin(), std::string(store::name_of(turn.type)) + " " + turn.text);
    const auto commit = repository->reader().commit(*at).value();
    at = commit->parents.empty() ? std::nullopt : std::optional(commit->parents[0]);
  }
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
}

}  // namespace
}  // namespace spoor::import
