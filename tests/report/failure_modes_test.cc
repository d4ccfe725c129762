// Each way in which a record may say less than it must, in a run that has it.
#include "report/event/failure_modes.h"

#include <doctest/doctest.h>

#include <array>

#include "guard/erase/erasure.h"
#include "llm/sent_prompt.h"
#include "report/event/projection.h"
#include "tests/agent/stage.h"

namespace spoor::report {

using guard::erase;
using guard::plan_erasure;
using trace::CheckStatus;
using trace::EventKind;

namespace {

using agent::gave;
using agent::testing::calls;
using agent::testing::ListModel;
using agent::testing::must;
using agent::testing::Stage;
using compile::Turn;

// A sound run of one call and an answer, to which more can be added.
struct Recorded {
  Recorded() {
    stage.add("look", [](std::string_view) { return gave("x"); });
    ListModel model({calls({{"look", "{}"}}), llm::say("end")});
    const llm::Candidate llm{&model, "m", {}, {}};
    run = must(agent::find_run(*stage.repository,
                               must(agent::react("g", llm, stage.session, stage.options)).run));
  }

  Oid add(Turn turn) {
    turn.facts.set_text("run", run.id);
    return must(stage.session.branch().commit(std::move(turn)));
  }

  // What is found beside remarks that nobody judged an action.
  std::vector<Failing> audit(Auditor::Options options = {}) {
    run.head = *must(stage.session.branch().tip());
    Auditor auditor(*stage.repository, options);
    REQUIRE(project(*stage.repository, run, run.head, {},
                    [&](DecisionEvent&& event) { return auditor.add(event); }));
    std::vector<Failing> found;
    for (Failing& failing : auditor.finish()) {
      const bool is_usual = failing.mode == FailureMode::no_evaluation && !failing.is_error;
      if (!is_usual) found.push_back(std::move(failing));
    }
    verified = auditor.verified();
    return found;
  }

  Stage stage;
  agent::RunName run;
  std::uint64_t verified = 0;
};

Turn answer() {
  Turn turn{.type = compile::Type::assistant, .text = "so"};
  turn.facts.set_text("purpose", "agent");
  return turn;
}

}  // namespace

TEST_SUITE("report/failure_modes") {
  TEST_CASE("a run as it is recorded lacks nothing") {
    Recorded recorded;
    CHECK(recorded.audit().empty());
    CHECK(recorded.verified == 2);
  }

  TEST_CASE("a model call without a bundle") {
    Recorded recorded;
    const Oid commit = recorded.add(answer());
    const auto found = recorded.audit();
    REQUIRE(found.size() == 1);
    CHECK(found[0].mode == FailureMode::no_bundle);
    CHECK(found[0].is_error);
    CHECK(found[0].commit == commit);
    CHECK(recorded.audit({.profile = Profile::black_box}).empty());
  }

  TEST_CASE("an action without the completion that asked for it") {
    Recorded recorded;
    Turn turn{.type = compile::Type::tool, .text = "x"};
    turn.fields.call_id = "nosuch";
    turn.fields.name = "look";
    const Oid commit = recorded.add(turn);
    const auto found = recorded.audit();
    REQUIRE(found.size() == 1);
    CHECK(found[0].mode == FailureMode::no_correlation);
    CHECK(found[0].commit == commit);
  }

  TEST_CASE("an event whose ids are none") {
    Recorded recorded;
    Auditor auditor(*recorded.stage.repository, {});
    DecisionEvent event;
    event.kind = EventKind::end;
    event.commit = recorded.run.head;
    REQUIRE(auditor.add(event));
    const auto found = auditor.finish();
    REQUIRE(found.size() == 1);
    CHECK(found[0].mode == FailureMode::no_correlation);
  }

  TEST_CASE("a capture mode that is none, or is not recorded") {
    Recorded recorded;
    Turn ended{.type = compile::Type::decision, .text = ""};
    ended.facts.set_text("decision", "run-ended");
    SUBCASE("none") {
      ended.facts.set_text("stopped", "goal_achieved");
      ended.facts.set_text("capture", "some");
    }
    SUBCASE("not recorded") {
      ended.text = R"({"bytes":3,"hash":"hmac-sha256:00","mode":"hashed"})";
      ended.facts.set_text("stopped", "goal_achieved");
    }
    const Oid commit = recorded.add(ended);
    const auto found = recorded.audit();
    REQUIRE(found.size() == 1);
    CHECK(found[0].mode == FailureMode::no_capture_mode);
    CHECK(found[0].commit == commit);
  }

  TEST_CASE("an action that nobody judged is a remark, or what one asks for") {
    Recorded recorded;
    const auto found = recorded.audit({.required = {FailureMode::no_evaluation}});
    REQUIRE(found.size() == 1);
    CHECK(found[0].mode == FailureMode::no_evaluation);
    CHECK(found[0].is_error);
    const Oid action = found[0].commit;

    EventOptions judged;
    std::map<Oid, std::vector<guard::check::Judgement>> judgements;
    judgements[action] = {guard::check::persons_judgement(action, CheckStatus::pass, "", false)};
    judged.judgements = &judgements;
    Auditor auditor(*recorded.stage.repository, {.required = {FailureMode::no_evaluation}});
    REQUIRE(project(*recorded.stage.repository, recorded.run, recorded.run.head, judged,
                    [&](DecisionEvent&& event) { return auditor.add(event); }));
    CHECK(auditor.finish().empty());
  }

  TEST_CASE("what was sent is not what the turns come to, and no hook says why") {
    Recorded recorded;
    graph::Repository& repository = *recorded.stage.repository;
    llm::Profile profile;
    const auto recipe = llm::render::recipe_for(profile, "m");
    const Oid tip = *must(recorded.stage.session.branch().tip());
    Turn turn = answer();
    turn.facts.set_text("run", recorded.run.id);
    std::optional<std::string> hook;
    SUBCASE("without a word") {}
    SUBCASE("by a hook") { hook = "translate/1"; }
    const auto written = recorded.stage.session.branch().write(
        "generate", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
          turn.prompt = TRY(llm::put_sent_prompt(draft, tip, recipe, repository.counter().name(),
                                                 R"({"messages":[]})", hook));
          return draft.append(ref, graph::stamped(turn, "m", recorded.stage.clock->now()));
        });
    REQUIRE(written);
    const auto found = recorded.audit();
    if (hook) {
      CHECK(found.empty());
      return;
    }
    REQUIRE(found.size() == 1);
    CHECK(found[0].mode == FailureMode::unrecorded_transformation);
    CHECK(found[0].commit == *written);
  }

  TEST_CASE("what a tombstone explains is a remark") {
    Recorded recorded;
    Oid result;
    REQUIRE(recorded.stage.session.branch().log([&](const store::NamedCommit& commit) {
      if (commit.commit->type == compile::Type::tool) result = commit.oid;
      return true;
    }));
    graph::Repository& repository = *recorded.stage.repository;
    const auto plan = must(plan_erasure(repository, std::array{result}));
    must(erase(repository, plan, "asked for", {}));
    repository.drop_caches();
    const auto found = recorded.audit();
    REQUIRE(found.size() == 1);
    CHECK(found[0].mode == FailureMode::unrecorded_transformation);
    CHECK_FALSE(found[0].is_error);
    CHECK(found[0].why == "what was sent cannot be rebuilt: a part of it was erased: asked for");
    CHECK(recorded.verified == 1);
    CHECK(must(llm::sent_prompt(repository, found[0].commit)).withheld ==
          llm::SentPrompt::Withheld::erased);
  }

  TEST_CASE("a call of a tool without a result") {
    Recorded recorded;
    Turn turn = answer();
    turn.fields.tool_calls = {{"c9", "look", "{}"}};
    recorded.add(turn);
    // The record ends there: it may go on.
    auto found = recorded.audit({.profile = Profile::black_box});
    // The sound part of the run said that it achieved its goal.
    REQUIRE(found.size() == 1);
    CHECK(found[0].mode == FailureMode::no_result);
    CHECK(found[0].is_error);
    CHECK(found[0].why == "1 of its 1 calls has no result");
  }

  TEST_CASE("calls that a stopped run did not begin are a remark") {
    Stage stage;
    std::stop_source stop;
    stage.options.stop = stop.get_token();
    stage.add("look", [&](std::string_view) {
      stop.request_stop();
      return gave("x");
    });
    ListModel model({calls({{"look", "{}"}, {"look", R"({"a":1})"}})});
    const auto result =
        must(agent::react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    const auto run = must(agent::find_run(*stage.repository, result.run));
    for (const bool is_required : {false, true}) {
      Auditor::Options options;
      if (is_required) options.required = {FailureMode::no_result};
      Auditor auditor(*stage.repository, options);
      REQUIRE(project(*stage.repository, run, run.head, {},
                      [&](DecisionEvent&& event) { return auditor.add(event); }));
      std::size_t open = 0;
      for (const Failing& failing : auditor.finish()) {
        if (failing.mode != FailureMode::no_result) continue;
        ++open;
        CHECK(failing.is_error == is_required);
      }
      CHECK(open == 1);
    }
  }

  TEST_CASE("a call whose process ended meanwhile has no result that is known") {
    Recorded recorded;
    Turn asks = answer();
    asks.fields.tool_calls = {{"c9", "look", "{}"}};
    recorded.add(asks);
    Turn turn{.type = compile::Type::tool, .text = "error: interrupted, effect unverified"};
    turn.fields.call_id = "c9";
    turn.fields.name = "look";
    turn.facts.set_json("unverified", "true");
    const Oid commit = recorded.add(turn);
    const auto found = recorded.audit({.profile = Profile::black_box});
    REQUIRE(found.size() == 1);
    CHECK(found[0].mode == FailureMode::no_result);
    CHECK(found[0].commit == commit);
  }
}

}  // namespace spoor::report
