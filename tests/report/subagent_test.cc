#include "agent/subagent.h"

#include <doctest/doctest.h>

#include <stop_token>
#include <string>
#include <vector>

#include "agent/registry.h"
#include "agent/runs.h"
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
    const auto told = must(
        debrief::debrief_of(*stage.repository, must(find_run(*stage.repository, result.run)), {}));
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

  TEST_CASE("a call of an agent that waits for a person parks the run, whose resume answers it") {
    for (const bool allows : {true, false}) {
      Stage stage;
      int writes = 0;
      Registry own;
      Tool write;
      write.id = "write";
      write.needs_approval = true;
      write.run = [&](std::string_view, const ToolContext&) {
        ++writes;
        return gave("written");
      };
      must(own.add(std::move(write)));
      ListModel helper({costing(calls({{"write", "{}"}}), 30), costing(llm::say("done"), 5)});
      SubagentSettings settings;
      settings.llm = {&helper, "h", {}, {}};
      settings.repository = stage.repository.get();
      settings.branch = "sub";
      settings.options.registry = &own;
      stage.add(make_subagent(settings));
      ListModel model(
          {costing(calls({{"delegate", R"({"goal":"add"})"}}), 20), costing(llm::say("end"), 1)});
      const llm::Candidate llm{&model, "m", {}, {}};
      const auto parked = must(react("g", llm, stage.session, stage.options));
      CHECK(parked.stopped == Stopped::interrupted);
      CHECK(parked.by == "approval");
      CHECK(parked.waits_for == "delegate: write");
      CHECK(parked.waits_with == "{}");
      CHECK(parked.steps.empty());
      CHECK(must(find_run(*stage.repository, "latest")).id == parked.run);
      const auto called = must(called_by(*stage.repository, parked.run));
      REQUIRE(called.size() == 1);
      CHECK(called[0].agent == "delegate");
      const auto at_parking = stage.decisions("parked");
      REQUIRE(at_parking.size() == 1);
      CHECK(at_parking[0].facts.get(fact::subrun) == called[0].id);

      // Nobody has answered: it waits on.
      const auto waiting = must(resume(parked.run, llm, stage.session, stage.options, {}));
      CHECK(waiting.waits_for == "delegate: write");
      CHECK(writes == 0);

      llm::CostTracker fresh;
      stage.options.tracker = &fresh;
      const auto done = must(resume(parked.run, llm, stage.session, stage.options,
                                    {.approval = allows, .reason = "not on a Friday"}));
      CHECK(done.answer == "end");
      CHECK(done.spent.tokens() == 56);
      CHECK(done.steps[0].observation == R"("done")");
      CHECK(writes == (allows ? 1 : 0));
      CHECK((helper.requests.back().find("Friday") != std::string::npos) == !allows);
      CHECK(must(called_by(*stage.repository, parked.run)).size() == 1);
      const auto again = must(replay(parked.run, llm, stage.session, stage.options));
      CHECK(again.divergences == std::vector<record::Divergence>{});
      CHECK(again.is_whole);
      CHECK_FALSE(resume(parked.run, llm, stage.session, stage.options, {.approval = true}));
    }
  }

  TEST_CASE("an agent that a person stopped goes on when its caller is resumed") {
    Stage stage;
    std::stop_source stop;
    int looks = 0;
    Registry own;
    Tool look;
    look.id = "look";
    look.run = [&](std::string_view, const ToolContext&) {
      ++looks;
      return gave("seen");
    };
    must(own.add(std::move(look)));
    class Stopping final : public llm::Provider {
     public:
      explicit Stopping(std::stop_source& stop) : stop_(stop) { profile_.name = "stopping"; }
      const llm::Profile& profile() const override { return profile_; }
      llm::Reply complete(const llm::Request&, const llm::OnEvent&) override {
        if (asked_++ > 0) return costing(llm::say("done"), 5);
        stop_.request_stop();
        return costing(calls({{"look", "{}"}}), 30);
      }

     private:
      std::stop_source& stop_;
      int asked_ = 0;
      llm::Profile profile_;
    } helper(stop);
    SubagentSettings settings;
    settings.llm = {&helper, "h", {}, {}};
    settings.repository = stage.repository.get();
    settings.branch = "sub";
    settings.options.registry = &own;
    settings.options.calling = Calling::native;
    stage.add(make_subagent(settings));
    ListModel model({costing(calls({{"delegate", R"({"goal":"add"})"}}), 20), llm::say("end")});
    const llm::Candidate llm{&model, "m", {}, {}};
    stage.options.stop = stop.get_token();
    const auto stopped = must(react("g", llm, stage.session, stage.options));
    CHECK(stopped.stopped == Stopped::interrupted);
    CHECK(stopped.steps.empty());
    CHECK(looks == 0);

    stage.options.stop = {};
    const auto done = must(resume(stopped.run, llm, stage.session, stage.options, {}));
    CHECK(done.answer == "end");
    CHECK(looks == 1);
    CHECK(must(called_by(*stage.repository, stopped.run)).size() == 1);
    auto told = must(
        debrief::debrief_of(*stage.repository, must(find_run(*stage.repository, stopped.run)), {}));
    CHECK(told.cost.input == 55);
    CHECK(told.totals->tokens.input == 55);
    REQUIRE(told.agents.total() == 1);
    CHECK(told.agents.at(0)->calls == 1);
    CHECK(told.agents.at(0)->cost.input == 35);
  }

  TEST_CASE("the caller is told what its agent does, under the agent's name") {
    Stage stage;
    ListModel helper({calls({{"nosuch", "{}"}}), llm::say("42")});
    SubagentSettings settings;
    settings.id = "rev";
    settings.llm = {&helper, "h", {}, {}};
    settings.repository = stage.repository.get();
    settings.branch = "sub";
    stage.add(make_subagent(settings));
    std::vector<std::string> observed;
    stage.options.on_event = [&](const RunEvent& event) {
      if (event.kind != RunEvent::Kind::observed) return;
      observed.push_back(std::string(event.agent) + "/" + std::string(event.tool));
    };
    ListModel model({calls({{"rev", R"({"goal":"add"})"}}), llm::say("end")});
    must(react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    CHECK(observed == std::vector<std::string>{"rev/nosuch", "/rev"});
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
