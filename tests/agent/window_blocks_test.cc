#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "agent/record/recording.h"
#include "agent/record/window.h"
#include "agent/runs.h"
#include "tests/agent/stage.h"

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::agent::testing;
using llm::Failure;

namespace {

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(differ.first - a.begin());
}

// What each request of a long run keeps of the one before, as a share of that one.
std::vector<double> kept(WhenFull when) {
  Stage stage;
  Session session(*stage.repository, "main",
                  {.principal = {}, .window_tokens = 3'000, .when_full = when});
  stage.options.rationale = false;
  stage.options.max_steps = 60;
  stage.add("look", [](std::string_view) { return gave(std::string(800, 'x')); });
  std::vector<llm::Reply> answers;
  for (int i = 1; i <= 60; ++i) answers.push_back(calls({{"look", "{}"}}, {}, i));
  ListModel model(std::move(answers));
  must(react("g", {&model, "m", {}, {}}, session, stage.options));
  std::vector<double> shares;
  for (std::size_t i = 1; i < model.requests.size(); ++i) {
    const auto& before = model.requests[i - 1];
    // All but the end of a request, where the parameters are.
    shares.push_back(static_cast<double>(common_prefix(before, model.requests[i])) /
                     static_cast<double>(before.size()));
  }
  return shares;
}

llm::Reply too_long() {
  llm::Reply reply;
  reply.failure = Failure{.kind = Failure::Kind::too_long,
                          .status = 400,
                          .message = "prompt is too long: 3000 tokens > 2000 maximum"};
  return reply;
}

Tool guarded(std::function<void()> act) {
  Tool tool;
  tool.id = "act";
  tool.description = "for a test";
  tool.needs_approval = true;
  tool.run = [act = std::move(act)](std::string_view, const ToolContext&) {
    act();
    return gave("ran");
  };
  return tool;
}

}  // namespace

TEST_SUITE("agent/window_blocks") {
  TEST_CASE("while a window is full, most requests begin as the one before") {
    const auto mean = [](const std::vector<double>& shares) {
      return std::accumulate(shares.begin(), shares.end(), 0.0) /
             static_cast<double>(shares.size());
    };
    const auto blocks = kept(WhenFull::drop);
    const auto one_by_one = kept(WhenFull::drop_each);
    CHECK(mean(blocks) > 0.8);
    CHECK(mean(kept(WhenFull::clear)) > 0.8);
    CHECK(mean(one_by_one) < 0.5);
    const auto broken =
        std::count_if(blocks.begin(), blocks.end(), [](double share) { return share < 0.9; });
    // 60 results of 200 tokens leave in blocks of 1,200.
    CHECK(broken <= 12);
    CHECK(broken >= 5);
  }

  TEST_CASE("a budget is never more than the window, nor less than half of it") {
    Stage stage;
    for (int i = 0; i < 200; ++i) {
      must(stage.session.branch().user(std::string(static_cast<std::size_t>(i % 7) * 40 + 4, 'u')));
      must(stage.session.branch().commit({{.type = compile::Type::assistant, .text = "yes"}}));
      const auto tip = *must(stage.session.branch().tip());
      for (const WhenFull when : {WhenFull::drop, WhenFull::clear, WhenFull::compact}) {
        const auto fit = must(record::fit_at(*stage.repository, tip, {500, when}));
        CHECK(fit.budget <= 500);
        CHECK(fit.budget >= 250);
      }
    }
  }

  TEST_CASE("the first turn that is shown is a person's") {
    Stage stage;
    Session session(*stage.repository, "main",
                    {.principal = {}, .window_tokens = 2'000, .when_full = WhenFull::drop});
    stage.options.rationale = false;
    stage.options.max_steps = 40;
    stage.add("look", [](std::string_view) { return gave(std::string(800, 'x')); });
    for (int runs = 0; runs < 3; ++runs) {
      std::vector<llm::Reply> answers;
      for (int i = 1; i <= 9; ++i) {
        answers.push_back(calls({{"look", "{}"}}, {}, 100 * runs + i));
      }
      answers.push_back(llm::say("done"));
      ListModel model(std::move(answers));
      must(react("goal " + std::to_string(runs), {&model, "m", {}, {}}, session, stage.options));
      for (const std::string& request : model.requests) {
        const auto body = nlohmann::json::parse(request);
        for (const auto& message : body["messages"]) {
          if (message["role"] == "system") continue;
          CHECK(message["role"] == "user");
          break;
        }
      }
    }
  }

  TEST_CASE("a prompt that is too long for the model is made shorter") {
    Stage stage;
    Session session(*stage.repository, "main",
                    {.principal = {}, .window_tokens = 100'000, .when_full = WhenFull::drop});
    stage.options.rationale = false;
    stage.add("look", [](std::string_view) { return gave(std::string(4'000, 'x')); });
    std::vector<llm::Reply> answers;
    for (int i = 1; i <= 9; ++i) answers.push_back(calls({{"look", "{}"}}, {}, i));
    answers.insert(answers.end(), {too_long(), too_long(), llm::say("done")});
    ListModel model(std::move(answers));
    const PlanResult result =
        must(react("the goal", {&model, "m", {}, {}}, session, stage.options));
    CHECK(result.answer == "done");
    REQUIRE(model.requests.size() == 12);
    CHECK(model.requests[10].size() < model.requests[9].size());
    CHECK(model.requests[11].size() < model.requests[10].size());
    CHECK(model.requests[11].find("the goal") != std::string::npos);
    CHECK(model.requests[11].find("c9") != std::string::npos);
    const auto replayed = must(replay(result.run, {&model, "m", {}, {}}, session, stage.options));
    CHECK(replayed.divergences.empty());
    CHECK(replayed.is_whole);
  }

  TEST_CASE("a prompt that cannot be shorter ends the run, soon") {
    Stage stage;
    ListModel model(std::vector<llm::Reply>(20, too_long()));
    const PlanResult result = must(react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    CHECK(result.stopped == Stopped::error);
    CHECK(result.by == "provider");
    CHECK(model.requests.size() == 1);
  }

  TEST_CASE("a person who is there is asked, and the answer is recorded") {
    struct Case {
      PersonsAnswer content;
      int ran;
      const char* seen;
    };
    for (const Case& one : {Case{{.allows = true, .reason = "small"}, 1, "ran"},
                            Case{{.allows = false, .reason = "not today"}, 0, "not today"}}) {
      Stage stage;
      stage.options.rationale = false;
      int ran = 0;
      int asked = 0;
      stage.add(guarded([&ran] { ++ran; }));
      stage.options.person = [&](const Tool& tool, std::string_view arguments) {
        CHECK(tool.id == "act");
        CHECK(arguments == R"({"x":1})");
        ++asked;
        return std::optional(one.content);
      };
      ListModel model({calls({{"act", R"({"x":1})"}}), llm::say("done")});
      const PlanResult result =
          must(react("g", {&model, "m", {}, {}}, stage.session, stage.options));
      CHECK(result.answer == "done");
      CHECK(ran == one.ran);
      CHECK(asked == 1);
      CHECK(model.requests.at(1).find(one.seen) != std::string::npos);
      const auto recording = must(record::read_recording(*stage.repository, result.run));
      REQUIRE(recording.approvals.size() == 1);
      CHECK(recording.approvals.begin()->second.is_approved == one.content.allows);
      CHECK(recording.approvals.begin()->second.reason == one.content.reason);
      const auto replayed =
          must(replay(result.run, {&model, "m", {}, {}}, stage.session, stage.options));
      CHECK(replayed.divergences.empty());
      CHECK(asked == 1);
    }
    // Nobody is there: the run waits, as without a function.
    Stage stage;
    stage.add(guarded([] {}));
    stage.options.person = [](const Tool&, std::string_view) { return std::nullopt; };
    ListModel model({calls({{"act", "{}"}}), llm::say("done")});
    const PlanResult waiting =
        must(react("g", {&model, "m", {}, {}}, stage.session, stage.options));
    CHECK(waiting.waits_for == "act");
    const auto resumed = must(resume(waiting.run, {&model, "m", {}, {}}, stage.session,
                                     stage.options, {.approval = true, .reason = {}}));
    CHECK(resumed.answer == "done");
  }

  TEST_CASE("a call that was not approved is told as not made once the person goes on") {
    Stage stage;
    stage.options.rationale = false;
    stage.add(guarded([] {}));
    stage.add("look", [](std::string_view) { return gave("seen"); });
    ListModel model({calls({{"look", "{}"}, {"act", "{}"}, {"look", "{}"}}), llm::say("fine"),
                     llm::say("done")});
    const llm::Candidate candidate{&model, "m", {}, {}};
    const PlanResult waiting = must(react("first", candidate, stage.session, stage.options));
    CHECK(waiting.waits_for == "act");
    const PlanResult second = must(react("second", candidate, stage.session, stage.options));
    CHECK(second.answer == "fine");
    const auto body = nlohmann::json::parse(model.requests.at(1));
    std::map<std::string, std::string> results;
    for (const auto& message : body["messages"]) {
      if (message["role"] == "tool") results[message["tool_call_id"]] = message["content"];
    }
    REQUIRE(results.size() == 3);
    CHECK(results["c1"] == "seen");
    CHECK(results["c2"] == "error: not made: the person went on without it");
    CHECK(results["c3"] == results["c2"]);
    for (const auto* run : {&waiting.run, &second.run}) {
      const auto replayed = must(replay(*run, candidate, stage.session, stage.options));
      CHECK(replayed.divergences.empty());
    }
    // The first run may still be resumed: its call waits as before.
    const auto resumed = must(resume(waiting.run, candidate, stage.session, stage.options,
                                     {.approval = false, .reason = "too late"}));
    CHECK(resumed.answer == "done");
  }

  TEST_CASE("what a person read of an interrupted answer is seen by the model, too") {
    Stage stage;
    stage.options.rationale = false;
    llm::Reply cut = llm::say("The cause is");
    cut.failure = Failure{.kind = Failure::Kind::interrupted, .message = "interrupted"};
    ListModel model({cut, llm::say("fine"), llm::say("done")});
    const llm::Candidate candidate{&model, "m", {}, {}};
    const PlanResult first = must(react("first", candidate, stage.session, stage.options));
    CHECK(first.stopped == Stopped::interrupted);
    must(react("second", candidate, stage.session, stage.options));
    CHECK(model.requests.at(1).find("The cause is") != std::string::npos);
    for (const auto& run : must(list_runs(*stage.repository))) {
      CHECK(must(replay(run.id, candidate, stage.session, stage.options)).divergences.empty());
    }
  }

  TEST_CASE("whether an interrupted call took effect stays unknown") {
    Stage stage;
    stage.options.rationale = false;
    stage.add("act", [](std::string_view) { return gave("ran"); });
    stage.options.on_event = [](const RunEvent& event) {
      if (event.kind == RunEvent::Kind::calling) throw std::runtime_error("killed");
    };
    ListModel model({calls({{"act", "{}"}}), llm::say("fine")});
    const llm::Candidate candidate{&model, "m", {}, {}};
    CHECK_THROWS(react("first", candidate, stage.session, stage.options));
    stage.options.on_event = nullptr;
    must(react("second", candidate, stage.session, stage.options));
    CHECK(model.requests.at(1).find("interrupted, effect unverified") != std::string::npos);
  }
}
