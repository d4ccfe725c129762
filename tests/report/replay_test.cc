#include <doctest/doctest.h>

#include "agent/record/recording.h"
#include "report/debrief/graph_source.h"
#include "report/debrief/views.h"
#include "tests/agent/stage.h"

namespace spoor::agent {

namespace debrief = report::debrief;

namespace {

using testing::calls;
using testing::ListModel;
using testing::must;
using testing::Stage;
using testing::step;

std::vector<std::string> what_differs(const ReplayResult& replayed) {
  std::vector<std::string> words;
  for (const auto& divergence : replayed.divergences) {
    words.push_back(std::to_string(divergence.step) + ' ' + divergence.what);
  }
  return words;
}

// A run of two steps and an answer, with a tool that counts how often it ran.
struct Recorded {
  Stage stage;
  int ran = 0;
  ListModel model{
      {step(R"({"thought":"I assume it is on.","action":"count","rationale":{"why":"a"}})"),
       llm::say("nonsense"), step(R"({"action":"count","rationale":"b"})"),
       step(R"({"action":"finish","final_answer":"done"})")}};
  llm::Candidate llm{&model, "m", {}, {}};
  std::string id;

  Recorded() {
    stage.add("count", [&](std::string_view) { return gave(std::to_string(++ran)); });
    stage.options.calling = Calling::json;
    id = must(react("g", llm, stage.session, stage.options)).run;
  }
};

}  // namespace

TEST_SUITE("agent/replay") {
  TEST_CASE("a run goes through again as it was, with no call, no tool and no write") {
    for (const bool is_native : {false, true}) {
      Stage stage;
      int ran = 0;
      stage.add("a.count", [&](std::string_view) { return gave(std::to_string(++ran)); });
      const std::string why = R"(<rationale call="1">{"why":"w","refs":["obs:7"]}</rationale>)";
      ListModel model(
          is_native ? std::vector<llm::Reply>{calls({{"a_count", "{}"}}, why), llm::say("x")}
                    : std::vector<llm::Reply>{step(R"({"action":"a.count"})"),
                                              step(R"({"action":"finish","final_answer":"x"})")});
      stage.options.calling = is_native ? Calling::native : Calling::json;
      const llm::Candidate llm{&model, "m", {}, {}};
      const auto result = must(react("g", llm, stage.session, stage.options));
      const auto tip = stage.session.branch().tip().value();
      stage.clock->advance(100);

      const auto replayed = must(replay(result.run, llm, stage.session, stage.options));
      CHECK(replayed.divergences == std::vector<record::Divergence>{});
      CHECK(replayed.is_whole);
      CHECK(replayed.result.answer == "x");
      CHECK(replayed.result.steps.size() == result.steps.size());
      CHECK(ran == 1);
      CHECK(model.requests.size() == 2);
      CHECK(stage.session.branch().tip().value() == tip);
    }
  }

  TEST_CASE("a run that another model had to answer goes through again as it was") {
    Stage stage;
    stage.options.calling = Calling::json;
    ListModel silent({});
    ListModel model({step(R"({"action":"finish","final_answer":"done"})")});
    stage.options.fallbacks = {{&model, "m2", {}, {}}};
    const llm::Candidate llm{&silent, "m", {}, {}};
    const auto result = must(react("g", llm, stage.session, stage.options));
    CHECK(result.answer == "done");

    const auto replayed = must(replay(result.run, llm, stage.session, stage.options));
    CHECK(what_differs(replayed).empty());
    const auto header = must(record::read_header(*stage.repository, result.run));
    CHECK(must(models_of(header.options)) == std::vector<std::string>{"list/m", "list/m2"});
    stage.options.fallbacks.clear();
    CHECK(what_differs(must(replay(result.run, llm, stage.session, stage.options,
                                   {.model = false}))) == std::vector<std::string>{"1 request"});
  }

  TEST_CASE("what would be otherwise now is named, with the step") {
    Recorded recorded;
    RunOptions options = recorded.stage.options;
    options.instructions = "Be brief.";
    CHECK(what_differs(must(replay(recorded.id, recorded.llm, recorded.stage.session, options))) ==
          std::vector<std::string>{"0 system prompt"});

    options = recorded.stage.options;
    options.max_tokens_per_call = 7;
    const auto requests = must(replay(recorded.id, recorded.llm, recorded.stage.session, options));
    CHECK(what_differs(requests) ==
          std::vector<std::string>{"1 request", "2 request", "3 request", "4 request"});
    CHECK(requests.divergences.front().now.find("\"max_tokens\":7") != std::string::npos);

    options = recorded.stage.options;
    options.max_steps = 3;
    const auto shorter =
        must(replay(recorded.id, recorded.llm, recorded.stage.session, options, {.limits = false}));
    CHECK(what_differs(shorter) == std::vector<std::string>{"3 end", "3 answer"});
  }

  TEST_CASE("from a step on, a run goes on live as another one, on a branch of its own") {
    Recorded recorded;
    Stage& stage = recorded.stage;
    ListModel other(
        {step(R"({"action":"count"})"), step(R"({"action":"finish","final_answer":"otherwise"})")});
    const llm::Candidate llm{&other, "n", {}, {}};
    Session branch(*stage.repository, "try");
    const auto result = must(replay_from(recorded.id, 3, llm, branch, stage.options));
    CHECK(result.answer == "otherwise");
    CHECK(result.run != recorded.id);
    CHECK(recorded.ran == 3);
    REQUIRE(result.steps.size() == 3);
    CHECK(result.steps[0].observation == R"("1")");
    CHECK(result.steps[1].observation == R"("3")");
    CHECK(other.requests.front().find("[obs:1 count]") != std::string::npos);
    CHECK(other.requests.front().find("[obs:2 count]") == std::string::npos);

    // It is a run like every other: whole, and gone through with the steps that it took over.
    const auto again = must(replay(result.run, llm, branch, stage.options));
    CHECK(what_differs(again) == std::vector<std::string>{});
    CHECK(again.result.steps.size() == 3);
    CHECK_FALSE(replay_from(recorded.id, 3, llm, branch, stage.options));
    CHECK_FALSE(replay_from(recorded.id, 0, llm, branch, stage.options));
  }

  TEST_CASE("a run of a run has the path of both, and costs its own") {
    Stage stage;
    int ran = 0;
    stage.add("count", [&](std::string_view) { return gave(std::to_string(++ran)); });
    stage.options.calling = Calling::json;
    const auto count = [] { return step(R"({"action":"count","rationale":{"why":"to know"}})"); };
    const auto finish = [] { return step(R"({"action":"finish","final_answer":"x"})"); };
    ListModel model({count(), count(), count(), finish()});
    const auto first = must(react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    Session two(*stage.repository, "two");
    ListModel second({count(), count(), finish()});
    const auto middle = must(replay_from(first.run, 3, {&second, "m", {}, {}}, two, stage.options));
    Session three(*stage.repository, "three");
    ListModel third({count(), finish()});
    // From a step that the run in between took over from the first one.
    const auto last = must(replay_from(middle.run, 2, {&third, "m", {}, {}}, three, stage.options));
    CHECK(ran == 6);
    REQUIRE(last.steps.size() == 3);
    CHECK(last.steps[0].observation == R"("1")");
    CHECK(last.steps[1].observation == R"("6")");

    const auto debrief_of = [&](const std::string& run) {
      return must(debrief::debrief_of(*stage.repository, must(find_run(*stage.repository, run))));
    };
    const debrief::Debrief told = debrief_of(middle.run);
    REQUIRE(told.origin);
    CHECK(told.origin->run == first.run);
    CHECK(told.origin->from_step == 3);
    std::vector<std::string> said;
    told.path.visit([&](const debrief::PathEntry& entry) { said.push_back(entry.outcome->said); });
    CHECK(said == std::vector<std::string>{"1", "2", "4", "5"});
    CHECK(told.explained == 4);
    CHECK(told.answers == 3);
    CHECK(told.verdict->status == "success");
    CHECK(debrief_of(first.run).commits == told.commits + 4);
    const debrief::Debrief newest = debrief_of(last.run);
    REQUIRE(newest.path.total() == 2);
    CHECK(newest.path.head()[0].outcome->said == "1");
    CHECK(newest.path.head()[1].outcome->said == "6");

    // What came before is on its own line: the refs of the others are not needed.
    auto& store = stage.repository->store();
    for (const std::string& run : {first.run, middle.run}) {
      const std::string ref = record::head_ref(run);
      store::Transaction away{.actor = "ada", .command = "away", .time = {}};
      away.refs.push_back({ref, must(store.ref(ref)), std::nullopt});
      must(store.commit(away));
    }
    const auto again = must(replay(last.run, {&third, "m", {}, {}}, three, stage.options));
    CHECK(what_differs(again) == std::vector<std::string>{});
    CHECK(to_json(debrief_of(last.run)) == to_json(newest));
  }

  TEST_CASE("limits that a resumed run was given are its own from then on") {
    Stage stage;
    stage.add("count", [](std::string_view) { return gave("1"); });
    stage.options.calling = Calling::json;
    stage.options.max_steps = 1;
    ListModel model({step(R"({"action":"count"})"), step(R"({"action":"count"})"),
                     step(R"({"action":"finish","final_answer":"done"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto first = must(react("g", llm, stage.session, stage.options));
    stage.options.max_steps = 2;
    must(resume(first.run, llm, stage.session, stage.options, {}));
    const auto recording = must(record::read_recording(*stage.repository, first.run));
    RunOptions kept;
    REQUIRE(read_options(recording.options, kept));
    CHECK(kept.max_steps == 2);
    kept.registry = &stage.registry;
    CHECK(what_differs(must(replay(first.run, llm, stage.session, kept))) ==
          std::vector<std::string>{});
  }

  TEST_CASE("a run that a provider ended, or that went on with another model, is what it was") {
    Stage stage;
    stage.add("count", [](std::string_view) { return gave("1"); });
    stage.options.calling = Calling::json;
    ListModel first({step(R"({"action":"count"})")});
    const auto failed = must(react("g", {&first, "m", {}, {}}, stage.session, stage.options));
    CHECK(failed.by == "provider");
    const llm::Candidate one{&first, "m", {}, {}};
    CHECK(what_differs(must(replay(failed.run, one, stage.session, stage.options))) ==
          std::vector<std::string>{});
    ListModel second({step(R"({"action":"finish","final_answer":"x"})")});
    const llm::Candidate two{&second, "n", {}, {}};
    must(resume(failed.run, two, stage.session, stage.options, {}));
    CHECK(what_differs(must(replay(failed.run, two, stage.session, stage.options))) ==
          std::vector<std::string>{});
    CHECK(what_differs(must(replay(failed.run, two, stage.session, stage.options,
                                   {.model = false}))) == std::vector<std::string>{"1 request"});
  }

  TEST_CASE("a reflexion under other limits than it ended with is what it was") {
    Stage stage;
    stage.add("count", [](std::string_view) { return gave("1"); });
    stage.options.calling = Calling::json;
    stage.options.max_steps = 1;
    stage.options.max_outer_iterations = 1;
    ListModel model(
        {step(R"({"action":"count"})"), step(R"({"verdict":"retry","critique":"more"})"),
         step(R"({"action":"count"})"), step(R"({"action":"finish","final_answer":"x"})"),
         step(R"({"verdict":"accept"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto stopped = must(reflexion("g", llm, stage.session, stage.options));
    stage.options.max_steps = 4;
    stage.options.max_outer_iterations = 2;
    CHECK(must(resume(stopped.run, llm, stage.session, stage.options, {})).by == "critic");
    CHECK(what_differs(must(replay(stopped.run, llm, stage.session, stage.options))) ==
          std::vector<std::string>{});
  }

  TEST_CASE("a plan that earned a nudge can be taken up at each of its steps") {
    Stage stage;
    stage.add("count", [](std::string_view) { return gave("1"); });
    const std::string plan = R"({"plan":[{"action":"count","rationale":"a"},
        {"action":"count","rationale":"b"},{"action":"finish","final_answer":"x"}]})";
    ListModel model({llm::say("garbage"), step(plan)});
    const llm::Candidate llm{&model, "m", {}, {}};
    const auto whole = must(plan_and_execute("g", llm, stage.session, stage.options));
    for (const std::int64_t from : {1, 2, 3}) {
      CAPTURE(from);
      ListModel other({step(plan)});
      Session branch(*stage.repository, "try-" + std::to_string(from));
      stage.clock->advance(1);
      const auto again =
          must(replay_from(whole.run, from, {&other, "m", {}, {}}, branch, stage.options));
      CHECK(again.answer == "x");
      CHECK(again.steps.size() == 3);
    }
    Session branch(*stage.repository, "far");
    CHECK_FALSE(replay_from(whole.run, 9, llm, branch, stage.options));
  }

  TEST_CASE("a run that has not ended is gone through as far as it came") {
    Stage stage;
    stage.add("count", [](std::string_view) { return gave("1"); });
    stage.options.calling = Calling::json;
    struct Killed {};
    int asked = 0;
    std::string id;
    stage.options.on_event = [&](const RunEvent& event) {
      if (!event.run.empty()) id = event.run;
      if (event.kind == RunEvent::Kind::asking && ++asked == 2) throw Killed{};
    };
    ListModel model({step(R"({"action":"count"})")});
    const llm::Candidate llm{&model, "m", {}, {}};
    CHECK_THROWS_AS(must(react("g", llm, stage.session, stage.options)), const Killed&);
    stage.options.on_event = {};
    const auto replayed = must(replay(id, llm, stage.session, stage.options));
    CHECK_FALSE(replayed.is_whole);
    CHECK(what_differs(replayed) == std::vector<std::string>{});
  }
}

}  // namespace spoor::agent
