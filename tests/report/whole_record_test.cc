// Everything that was asked of a model or a tool can be told from the commits alone.
#include <doctest/doctest.h>

#include <algorithm>

#include "agent/subagent.h"
#include "llm/sent_prompt.h"
#include "report/debrief/graph_source.h"
#include "tests/agent/stage.h"
#include "trace/totals.h"

namespace spoor::agent {
namespace {

using compile::Turn;
using testing::calls;
using testing::ListModel;
using testing::must;
using testing::Stage;

llm::Reply overloaded(int attempts) {
  llm::Reply reply =
      llm::fail({.kind = llm::Failure::Kind::overloaded, .status = 529, .message = "no room now"});
  reply.attempts = attempts;
  return reply;
}

// A step ends with its result, or with what was decided beside it.
Turn result_of(Stage& stage, const PlanResult& result, std::size_t step) {
  const store::Reader& reader = stage.repository->reader();
  compile::Oid at = result.steps.at(step).commit;
  while (reader.commit(at).value()->type == compile::Type::decision) {
    at = reader.commit(at).value()->parents.at(0);
  }
  return graph::read_turn(reader, at).value();
}

// Is stopped after it has sent a request.
struct StoppedModel final : llm::Provider {
  const llm::Profile& profile() const override { return own; }
  llm::Reply complete(const llm::Request& request, const llm::OnEvent&) override {
    CHECK(request.before_send());
    return llm::fail({.kind = llm::Failure::Kind::interrupted, .message = "stopped"});
  }
  llm::Profile own;
};

trace::Totals totals_of(Stage& stage, const llm::PriceList* prices) {
  const compile::Oid tip = *stage.session.branch().tip().value();
  return trace::totals_of(*stage.repository, {tip}, prices).value();
}

struct Refuse final : Gate {
  Verdict before(const Tool&, std::string_view) override { return {false, "not today"}; }
};

}  // namespace

TEST_SUITE("agent/whole_record") {
  TEST_CASE("a call that came to nothing is there, with what was sent, and then the one that did") {
    Stage stage;
    ListModel broken({overloaded(5)});
    ListModel model({llm::say("done")});
    stage.options.fallbacks = {{&model, "m2", {}, {}}};
    const auto result = must(react("g", {&broken, "m1", {}, {}}, stage.session, stage.options));
    CHECK(result.answer == "done");
    const auto failed = stage.decisions("call-failed");
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].text == "no room now");
    CHECK(failed[0].facts.text("model") == "m1");
    CHECK(failed[0].facts.text("provider") == "list");
    CHECK(failed[0].facts.text("failure") == "overloaded");
    CHECK(failed[0].facts.json("status") == "529");
    CHECK(failed[0].facts.json("attempts") == "5");
    CHECK(failed[0].facts.json("step") == "1");
    REQUIRE(failed[0].prompt);
    const auto bundle = stage.repository->reader().bundle(*failed[0].prompt).value();
    CHECK(bundle.model == "m1");
    CHECK(bundle.sent == stage.repository->digest_of(broken.requests.at(0)));

    const auto answered = replay(result.run, {&broken, "m1", {}, {}}, stage.session, stage.options);
    REQUIRE(answered);
    CHECK(answered->divergences.empty());
    CHECK(answered->is_whole);
  }

  TEST_CASE("a run whose only model fails says so, and goes on from there") {
    Stage stage;
    ListModel model({overloaded(1), llm::say("done")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto first = must(react("g", llm, stage.session, stage.options));
    CHECK(first.stopped == Stopped::error);
    CHECK(stage.decisions("call-failed").size() == 1);
    CHECK(stage.decisions("call-failed")[0].facts.json("attempts").empty());
    const auto second = must(resume(first.run, llm, stage.session, stage.options, {}));
    CHECK(second.answer == "done");
    CHECK(stage.decisions("call-failed").size() == 1);
  }

  TEST_CASE("tokens that a failed request took are in the totals, a stopped one costs at least 0") {
    Stage stage;
    const llm::PriceList prices({llm::parse_price("list", "m1", "input=1000 output=1").value(),
                                 llm::parse_price("list", "m2", "input=1000 output=1").value()});
    stage.options.prices = &prices;
    llm::Reply counted = overloaded(1);
    counted.usage.input = 5;
    llm::Reply whole = llm::say("done");
    whole.usage = {.input = 2, .output = 0};
    ListModel broken({counted});
    ListModel model({whole});
    stage.options.fallbacks = {{&model, "m2", {}, {}}};
    const auto result = must(react("g", {&broken, "m1", {}, {}}, stage.session, stage.options));
    CHECK(result.answer == "done");
    const auto totals = totals_of(stage, &prices);
    CHECK(totals.tokens.input == 7);
    CHECK(totals.cost.money == llm::parse_dollars("0.007"));
    CHECK(totals.cost.trust == trace::Trust::partial);
    CHECK(result.spent.cost == *llm::parse_dollars("0.007"));
    CHECK_FALSE(result.spent.is_cost_exact());

    Stage other;
    StoppedModel stopped;
    const auto cut = must(react("g", {&stopped, "m1", {}, {}}, other.session, other.options));
    CHECK(cut.stopped == Stopped::interrupted);
    CHECK_FALSE(cut.spent.is_cost_exact());
    CHECK(totals_of(other, nullptr).unsettled_requests == 1);
  }

  TEST_CASE("a refused call says who refused it") {
    Stage stage;
    bool ran = false;
    stage.add("look", [&](std::string_view) {
      ran = true;
      return gave("x");
    });
    Refuse gate;
    stage.options.gate = &gate;
    ListModel model({calls({{"nosuch", "{}"}, {"look", "{}"}}), llm::say("end")});
    const auto result = must(react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    CHECK(result_of(stage, result, 0).facts.text("refused_by") == "tools");
    CHECK(result_of(stage, result, 1).facts.text("refused_by") == "gate");
    CHECK_FALSE(ran);
  }

  TEST_CASE("an agent that was called names the call") {
    Stage stage;
    ListModel helper({llm::say("42")});
    SubagentSettings settings;
    settings.llm = {&helper, "h", {}, {}};
    settings.repository = stage.repository.get();
    settings.branch = "helper";
    stage.add(make_subagent(settings));
    ListModel model({calls({{"delegate", R"({"goal":"add"})"}}), llm::say("end")});
    const auto result = must(react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto sub = result_of(stage, result, 0).facts.text("subrun");
    const RunName run = must(find_run(*stage.repository, sub));
    const Turn root = graph::read_turn(stage.repository->reader(), run.root).value();
    CHECK(root.facts.text("caller_run") == result.run);
    CHECK(root.facts.json("caller_call") == "1");
    REQUIRE(root.about.size() == 1);
    const Turn answer = graph::read_turn(stage.repository->reader(), root.about[0]).value();
    CHECK(answer.fields.tool_calls->front().name == "delegate");
  }

  TEST_CASE("how long an answer took is kept where it was measured") {
    Stage stage;
    class Slow final : public llm::Provider {
     public:
      explicit Slow(Stage& stage) : stage_(stage) { profile_.name = "slow"; }
      const llm::Profile& profile() const override { return profile_; }
      llm::Reply complete(const llm::Request&, const llm::OnEvent&) override {
        stage_.clock->advance(2);
        return llm::say("done");
      }

     private:
      Stage& stage_;
      llm::Profile profile_;
    } slow(stage);
    must(react("g", {&slow, "m", {}, {}}, stage.session, stage.options));
    const auto turns = stage.turns();
    const auto answer = std::find_if(turns.begin(), turns.end(), [](const Turn& turn) {
      return turn.type == compile::Type::assistant;
    });
    REQUIRE(answer != turns.end());
    CHECK(answer->facts.json("latency_ms") == "2000");
  }
}

}  // namespace spoor::agent
