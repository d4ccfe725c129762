#include "agent/subagent.h"

#include <doctest/doctest.h>

#include "report/debrief/graph_source.h"
#include "tests/agent/stage.h"

namespace spoor::agent {

namespace debrief = report::debrief;

namespace {

using testing::calls;
using testing::ListModel;
using testing::must;
using testing::Stage;

llm::Reply costing(llm::Reply reply, std::uint64_t tokens) {
  reply.usage.input = tokens;
  reply.usage.output = 0;
  return reply;
}

}  // namespace

TEST_SUITE("agent/subagent") {
  TEST_CASE("an agent hands a part of its work to another, which works on a branch of its own") {
    Stage stage;
    ListModel helper({costing(llm::say("42"), 30), costing(llm::say("43"), 5)});
    SubagentSettings settings;
    settings.llm = {&helper, "h", {}, {}};
    settings.repository = stage.repository.get();
    settings.branch = "main-helper";
    stage.add(make_subagent(settings));
    ListModel model({costing(calls({{"delegate", R"({"goal":"add it up"})"}}), 10),
                     costing(calls({{"delegate", R"({"goal":"and again"})"}}, {}, 2), 10),
                     costing(llm::say("it is 42"), 10)});
    const auto result = must(react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    CHECK(result.answer == "it is 42");
    CHECK(result.steps[0].observation == R"("42")");
    CHECK(result.spent.tokens() == 65);
    CHECK(must(stage.repository->branch("main-helper-1").compile()).messages.back().text() == "42");
    CHECK(must(stage.repository->branch("main-helper-2").compile()).messages.back().text() == "43");
    CHECK(helper.requests.front().find("add it up") != std::string::npos);
    CHECK(helper.requests.back().find("add it up") == std::string::npos);
    const auto turn = graph::read_turn(stage.repository->reader(), result.steps[0].commit).value();
    CHECK(turn.facts.text("subrun").size() == 16);
    CHECK(turn.facts.json("tokens") == R"({"input":30})");
    const auto told = must(debrief::debrief_of(
        *stage.repository, must(find_run(*stage.repository, result.run)), {}));
    CHECK(told.cost.tokens() == 65);
    CHECK(told.answers == 3);
  }

  TEST_CASE("it has what is left of the budget, and what it spent is booked once more on resume") {
    Stage stage;
    ListModel helper({costing(calls({{"nosuch", "{}"}}), 80), costing(llm::say("x"), 80)});
    SubagentSettings settings;
    settings.llm = {&helper, "h", {}, {}};
    settings.repository = stage.repository.get();
    settings.branch = "sub";
    stage.add(make_subagent(settings));
    stage.options.budget.max_tokens = 90;
    ListModel model({costing(calls({{"delegate", R"({"goal":"add"})"}}), 20), llm::say("end")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto result = must(react("g", llm, stage.session, stage.options));
    CHECK(result.stopped == Stopped::max_tokens);
    CHECK(result.steps[0].observation->find("max_tokens") != std::string::npos);
    CHECK(helper.requests.size() == 1);

    llm::CostTracker fresh;
    stage.options.tracker = &fresh;
    stage.options.budget.max_tokens = 500;
    const auto resumed = must(resume(result.run, llm, stage.session, stage.options, {}));
    CHECK(resumed.answer == "end");
    CHECK(resumed.spent.tokens() == 100);
  }

  TEST_CASE("a tool's decisions are commits beside its result, and no rationale is too long") {
    Stage stage;
    std::size_t length = 10;
    stage.add("weigh", [&](std::string_view) {
      ToolResult result = gave("done");
      Decision decision{
          .word = "curator-marked-untrusted", .text = "obs:1", .facts = {}, .about = {}};
      decision.rationale = Rationale{.why = std::string(length, 'x')};
      result.decisions.push_back(std::move(decision));
      return result;
    });
    ListModel model({calls({{"weigh", "{}"}}), llm::say("x")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto result = must(react("g", llm, stage.session, stage.options));
    CHECK(stage.decisions("curator-marked-untrusted").size() == 1);
    const auto run = must(find_run(*stage.repository, result.run));
    CHECK(must(debrief::debrief_of(*stage.repository, run)).curator.total() == 1);
    const auto again = must(replay(result.run, llm, stage.session, stage.options));
    CHECK(again.divergences == std::vector<record::Divergence>{});

    length = 281;
    Stage other;
    other.add(*stage.registry.find("weigh"));
    ListModel second({calls({{"weigh", "{}"}}), llm::say("x")});
    const auto failed = must(react("g", {&second, "m", {}, {}}, other.session, other.options));
    CHECK(failed.steps[0].is_error);
    CHECK(other.decisions("curator-marked-untrusted").empty());
  }
}

}  // namespace spoor::agent
