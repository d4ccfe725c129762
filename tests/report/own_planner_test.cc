#include "agent/own_planner.h"

#include <doctest/doctest.h>

#include "agent/runs.h"
#include "report/debrief/graph_source.h"
#include "report/debrief/phrases.h"
#include "report/debrief/views.h"
#include "tests/agent/stage.h"
#include "tests/support/holds.h"
#include "trace/totals.h"

namespace spoor::agent {
namespace {

using spoor::testing::holds;
using testing::ListModel;
using testing::must;
using testing::Stage;

// Ends a process: nothing after it happens.
struct Killed {};

// Looks as often as the model asks it to, and stops when a look gives nothing new.
class Looker final : public Planner {
 public:
  std::string name() const override { return "looker"; }
  std::string system_prompt(std::string_view tools) const override {
    return "Say where to look.\n" + std::string(tools);
  }
  void begin(std::string_view goal) override {
    goal_ = goal;
    place_.reset();
    last_.clear();
    is_done_ = false;
  }

  Result<Move> step() override {
    if (is_done_) {
      return Move(Stop{.reason = "no-progress",
                       .answer = "nothing new: " + last_,
                       .rationale = Rationale{.why = "two looks gave the same"},
                       .achieves_goal = false});
    }
    if (!place_) return Move(Ask{"Where to look for " + goal_ + "?"});
    return Move(Act{.tool = "look",
                    .arguments = R"({"at":")" + *place_ + "\"}",
                    .rationale = Rationale{.why = "the model named it", .refs = {"goal"}}});
  }

  void observe(const Seen& seen) override {
    if (!place_) {
      place_ = seen.text;
      return;
    }
    place_.reset();
    is_done_ = seen.text == last_;
    last_ = seen.text;
  }

 private:
  std::string goal_, last_;
  std::optional<std::string> place_;
  bool is_done_ = false;
};

struct LookStage : Stage {
  int looks = 0;
  Looker looker;
  ListModel model{{llm::say("here"), llm::say("there"), llm::say("elsewhere")}};

  LookStage() {
    options.planner = &looker;
    add("look", [this](std::string_view) { return gave(++looks == 1 ? "a cup" : "no cup"); });
  }

  PlanResult looked() {
    return must(run(looker, "a cup", {&model, "m", {}, {}}, session, options));
  }

  report::debrief::Debrief debriefed(const std::string& id) {
    const RunName name = must(find_run(*repository, id));
    return must(report::debrief::debrief_of(*repository, name, {}));
  }
};

}  // namespace

TEST_SUITE("agent/own_planner") {
  TEST_CASE("a planner of one's own asks, acts and stops; its reasons and its end are recorded") {
    LookStage stage;
    const PlanResult result = stage.looked();
    CHECK(result.stopped == Stopped::planner);
    CHECK(result.by == "no-progress");
    CHECK(result.answer == "nothing new: no cup");
    CHECK(result.planner == "looker");
    CHECK(result.rationale->why == "two looks gave the same");
    CHECK(stage.looks == 3);
    CHECK(holds(stage.model.requests.at(0), "Say where to look."));
    CHECK(holds(stage.model.requests.at(0), "Where to look for a cup?"));
    CHECK(holds(stage.model.requests.at(1), "a cup"));

    const auto debrief = stage.debriefed(result.run);
    CHECK(debrief.planner == "looker");
    CHECK(debrief.calls == 3);
    CHECK(debrief.explained == 3);
    CHECK(report::debrief::status_of(debrief) == "no-progress");
    const std::string text = report::debrief::tree_text(debrief, {});
    CHECK(holds(text, "chose look: \"the model named it\" (refs: goal)  → ok, no cup"));
    CHECK(holds(text, "Termination: no-progress: \"two looks gave the same\""));
    const RunName name = must(find_run(*stage.repository, result.run));
    CHECK(must(trace::totals_of(*stage.repository, {name.head}, nullptr)).ends.at("no-progress") ==
          1);
  }

  TEST_CASE("its run is replayed, and refused without it") {
    LookStage stage;
    const PlanResult result = stage.looked();
    const llm::Candidate llm{&stage.model, "m", {}, {}};
    const auto again = must(replay(result.run, llm, stage.session, stage.options));
    CHECK(again.is_whole);
    CHECK(again.divergences.empty());
    CHECK(again.result.by == "no-progress");
    stage.options.planner = nullptr;
    const auto unknown = replay(result.run, llm, stage.session, stage.options);
    REQUIRE_FALSE(unknown);
    CHECK(holds(unknown.error().message, "'looker'"));
  }

  TEST_CASE("killed at any event it goes on: no call twice, and the same end") {
    for (int kill_at = 0;; ++kill_at) {
      LookStage stage;
      std::string id;
      int events = 0;
      bool was_killed = false;
      stage.options.on_event = [&](const RunEvent& event) {
        id = event.run.empty() ? id : std::string(event.run);
        const bool is_live = !event.is_recorded && event.kind != RunEvent::Kind::calling;
        if (is_live && !was_killed && events++ == kill_at) {
          was_killed = true;
          throw Killed{};
        }
      };
      try {
        CHECK(stage.looked().by == "no-progress");
      } catch (const Killed&) {
        const auto resumed =
            resume(id, {&stage.model, "m", {}, {}}, stage.session, stage.options, ResumeOptions{});
        CAPTURE(kill_at);
        CHECK((resumed ? resumed->by : resumed.error().message) == "no-progress");
      }
      CHECK(stage.looks == 3);
      if (!was_killed) {
        CHECK(kill_at == 8);  // Every event but the calls under way.
        break;
      }
    }
  }

  TEST_CASE("its limits are those of every run, and what it throws ends the run with an error") {
    LookStage stage;
    stage.options.max_steps = 3;
    const PlanResult result = stage.looked();
    CHECK(result.stopped == Stopped::max_steps);
    CHECK(stage.looks == 1);

    struct Broken final : Planner {
      std::string name() const override { return "broken"; }
      std::string system_prompt(std::string_view) const override { return {}; }
      void begin(std::string_view) override {}
      Result<Move> step() override { throw std::runtime_error("oh"); }
      void observe(const Seen&) override {}
    };
    Broken broken;
    const auto ended =
        must(run(broken, "g", {&stage.model, "m", {}, {}}, stage.session, stage.options));
    CHECK(ended.stopped == Stopped::error);
    CHECK(holds(ended.error.value_or(""), "the planner broke: oh"));
  }

  TEST_CASE("the name of a built-in planner, and no word, are refused as a name") {
    struct Named final : Planner {
      std::string called;
      std::string name() const override { return called; }
      std::string system_prompt(std::string_view) const override { return {}; }
      void begin(std::string_view) override {}
      Result<Move> step() override { return Move(Stop{.reason = "not a word"}); }
      void observe(const Seen&) override {}
    };
    Stage stage;
    ListModel model({});
    Named named;
    for (const char* name : {"", "react", "two words", "Capital"}) {
      named.called = name;
      CHECK_FALSE(run(named, "g", {&model, "m", {}, {}}, stage.session, stage.options));
    }
    named.called = "named";
    const auto result = must(run(named, "g", {&model, "m", {}, {}}, stage.session, stage.options));
    CHECK(result.stopped == Stopped::error);
    CHECK(holds(result.error.value_or(""), "'not a word' is not a word"));
  }

  TEST_CASE("a condition of the program's own ends a run of a built-in planner") {
    Stage stage;
    stage.options.rationale = false;
    stage.add("count", [](std::string_view) { return gave("7"); });
    stage.options.until = [](const PlanResult& so_far) -> std::optional<Stop> {
      if (so_far.steps.size() < 2) return std::nullopt;
      return Stop{.reason = "seen-enough", .rationale = Rationale{.why = "two steps"}};
    };
    ListModel model({testing::calls({{"count", "{}"}}), testing::calls({{"count", "{}"}}, {}, 2)});
    const PlanResult result = testing::find_it(stage, model);
    CHECK(result.stopped == Stopped::goal_achieved);
    CHECK(result.by == "seen-enough");
    CHECK(result.answer == "7");
    // A replay may not have the condition.
    stage.options.until = nullptr;
    const auto again =
        must(replay(result.run, {&model, "m", {}, {}}, stage.session, stage.options));
    CHECK(again.divergences.empty());
  }
}

}  // namespace spoor::agent
