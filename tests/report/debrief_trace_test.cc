#include <doctest/doctest.h>

#include "report/debrief/fold.h"
#include "report/debrief/trace_reader.h"

using namespace spoor;
using namespace spoor::report::debrief;

TEST_SUITE("report/debrief/trace_reader") {
  TEST_CASE("the end of a call, the cost of an answer and a step of the runtime are read") {
    const Debrief debrief = debrief_of_trace(
        R"({"kind":"llm-exchange","runId":"r","iter":1,"timestamp":1000,"response":{"tokensIn":90,"tokensOut":10,"costUsd":0.002}}
{"kind":"tool-call-start","runId":"r","iter":1,"timestamp":2000,"toolName":"sh","rationale":{"why":"try it"}}
{"kind":"tool-call-end","runId":"r","iter":1,"timestamp":2500,"toolName":"sh","ok":true,"result":{"exitCode":1,"stdout":""}}
{"kind":"decision-evaluated","runId":"r","iter":2,"decisionType":"early-stop","confidence":0.75,"reason":"nothing new"}
{"kind":"run-completed","runId":"r","iter":-1,"timestamp":4000,"status":"success","totalTokens":100.4,"totalCostUsd":2e-3,"durationMs":3000.6,"output":"done"}
)");
    REQUIRE(debrief.path.total() == 1);
    const PathEntry& call = debrief.path.head()[0];
    CHECK(call.outcome->exit_code == 1);
    CHECK(call.cost.tokens() == 100);
    CHECK(debrief.reactions.head()[0].rationale->confidence == 0.75);
    CHECK(debrief.verdict->tokens == 100);
    CHECK(debrief.verdict->elapsed_ms == 3001);
    CHECK(spoor::llm::dollars(*debrief.verdict->cost) == "0.002");
    CHECK(debrief.verdict->answer == "done");
    CHECK(debrief.contradictions.size() == 1);
    CHECK(debrief.began->text() == "1970-01-01T00:00:01.000000Z");
  }

  TEST_CASE("however a trace is cut into pieces, it tells the same") {
    const std::string trace =
        "\xef\xbb\xbf{\"kind\":\"run-started\",\"runId\":\"r\",\"task\":\"t\\u00e4\"}\r\n\r\n"
        "{\"kind\":\"tool-call-start\",\"iter\":3,\"toolName\":\"a\"}\n[1]\n{\"kind\":";
    for (std::size_t size = 1; size <= trace.size(); ++size) {
      std::vector<std::string> told;
      TraceReader reader([&told](const Fact& fact) {
        told.push_back(std::to_string(fact.what.index()) + "@" + std::to_string(fact.step));
      });
      for (std::size_t at = 0; at < trace.size(); at += size) {
        reader.feed(std::string_view(trace).substr(at, size));
      }
      reader.finish();
      CHECK(told == std::vector<std::string>{"0@0", "0@0", "1@3"});
      CHECK(reader.skipped() == 2);
    }
  }

  TEST_CASE("values of other types than expected are as if they were not there") {
    const Debrief debrief = debrief_of_trace(
        R"({"kind":"tool-call-start","runId":7,"iter":"x","toolName":null,"rationale":"w"}
{"kind":"alternatives-considered","chosen":1,"alternatives":[1,{"option":"o"},{"option":"p","rejectedBecause":"q"}]}
{"kind":"run-completed","status":null,"totalTokens":-1,"durationMs":1e300,"totalCostUsd":"free"}
{"kind":"kernel-state-snapshot","terminatedBy":null}
{"kind":5})");
    CHECK(debrief.skipped == 0);
    CHECK(debrief.run_id == "unknown");
    CHECK(debrief.calls == 1);
    CHECK(debrief.explained == 0);
    CHECK(debrief.alternatives.head()[0].rejected.size() == 1);
    CHECK(debrief.verdict->tokens == 0);
    CHECK(debrief.termination.by == "unknown");
  }
}
