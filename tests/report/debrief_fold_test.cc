#include <doctest/doctest.h>

#include "report/debrief/excerpt.h"
#include "report/debrief/fold.h"
#include "report/debrief/views.h"

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::report::debrief;

namespace {

Fact at(std::int64_t step, Fact::What what) { return {.step = step, .what = std::move(what)}; }

Rationale because(std::string why, std::optional<double> confidence = {}) {
  return {.why = std::move(why), .confidence = confidence};
}

Debrief fold_of(const std::vector<Fact>& facts, std::size_t most = 1'000) {
  DebriefFold fold(most);
  for (const Fact& fact : facts) fold.add(fact);
  return fold.finish();
}

}  // namespace

TEST_SUITE("report/debrief/fold") {
  TEST_CASE("a result stands beside the call that it answers") {
    const Debrief debrief = fold_of({
        at(1, CallChosen{1, "list", because("look around")}),
        at(1, CallChosen{2, "read", std::nullopt}),
        at(1, CallReturned{.number = 2, .tool = "read", .is_error = true, .said = "no such file"}),
        at(1, CallReturned{.number = 1, .tool = "list", .said = "3 files"}),
    });
    REQUIRE(debrief.path.total() == 2);
    CHECK(debrief.path.head()[0].outcome->said == "3 files");
    CHECK_FALSE(debrief.path.head()[0].outcome->is_error);
    CHECK(debrief.path.head()[1].outcome->is_error);
    CHECK(debrief.calls == 2);
    CHECK(debrief.explained == 1);
    CHECK(debrief.returned == 2);
    CHECK(debrief.failed == 1);
    CHECK(debrief.tools.at("read").failed == 1);
    CHECK(debrief.tools.at("list").explained == 1);
  }

  TEST_CASE("a result without a number answers the oldest open call of its tool") {
    const Debrief debrief = fold_of({
        at(1, CallChosen{0, "a", {}}),
        at(1, CallChosen{0, "b", {}}),
        at(1, CallChosen{0, "b", {}}),
        at(1, CallReturned{.tool = "b", .said = "first"}),
        at(1, CallReturned{.tool = "c", .said = "of nobody"}),
    });
    CHECK_FALSE(debrief.path.head()[0].outcome);
    CHECK(debrief.path.head()[1].outcome->said == "first");
    CHECK_FALSE(debrief.path.head()[2].outcome);
    CHECK(debrief.returned == 1);
  }

  TEST_CASE("success after a failed check is contradicted, and only then") {
    const auto after = [](std::string status, std::int64_t exit_code, bool is_checked_again) {
      std::vector<Fact> facts = {
          at(3, CallChosen{1, "run_command", {}}),
          at(3, CallReturned{.number = 1, .tool = "run_command", .exit_code = exit_code}),
          at(4, CallChosen{2, "edit_file", {}}),
          at(4, CallReturned{.number = 2, .tool = "edit_file", .artifact = "file_edit"}),
      };
      if (is_checked_again) {
        facts.push_back(at(5, CallChosen{3, "run_command", {}}));
        facts.push_back(at(5, CallReturned{.number = 3, .exit_code = 0, .artifact = "test_run"}));
      }
      facts.push_back(at(6, Completed{.status = std::move(status)}));
      return fold_of(facts).contradictions;
    };
    CHECK(after("success", 2, false) ==
          std::vector<std::string>{"it claims success, but its last check, run_command in step 3, "
                                   "ended with exit code 2"});
    CHECK(after("success", 0, false).empty());
    CHECK(after("success", 2, true).empty());
    CHECK(after("failure", 2, false).empty());
  }

  TEST_CASE("success with a call that never returned is contradicted") {
    const Debrief debrief = fold_of({
        at(1, CallChosen{1, "a", {}}),
        at(1, CallReturned{.number = 1}),
        at(2, CallChosen{2, "a", {}}),
        at(3, Completed{.status = "success"}),
    });
    CHECK(debrief.contradictions ==
          std::vector<std::string>{"it claims success, but 1 call has no result"});
  }

  TEST_CASE("what an answer cost belongs to its first call, and every cost to the run") {
    const auto money = [](const char* text) { return spoor::llm::parse_dollars(text).value(); };
    const Debrief debrief = fold_of({
        at(1, Spent{{100, 10, money("0.5")}}),
        at(1, CallChosen{1, "a", {}}),
        at(1, CallChosen{2, "b", {}}),
        at(2, Spent{{200, 20, money("0.25")}}),
        at(2, Spent{{.input = 7}, Spent::By::critic}),
        at(2, CallChosen{3, "c", {}}),
        at(3, Completed{.status = "success"}),
    });
    CHECK(debrief.path.head()[0].cost.money == money("0.5"));
    CHECK(debrief.path.head()[0].cost.tokens() == 110);
    CHECK_FALSE(debrief.path.head()[1].cost.is_known());
    CHECK(debrief.path.head()[2].cost.tokens() == 220);
    CHECK(debrief.cost.money == money("0.75"));
    CHECK(debrief.verdict->tokens == 337);
    CHECK(debrief.verdict->cost == money("0.75"));
    CHECK(debrief.answers == 3);
  }

  TEST_CASE("confidence is held against what happened") {
    const auto call = [](std::uint64_t number, double confidence, bool is_error) {
      return std::vector{at(1, CallChosen{number, "a", because("w", confidence)}),
                         at(1, CallReturned{.number = number, .is_error = is_error})};
    };
    std::vector<Fact> facts;
    const std::vector<std::pair<double, bool>> calls = {
        {1, true}, {0.9, false}, {0.89, true}, {0.1, false}};
    for (std::size_t i = 0; i < calls.size(); ++i) {
      for (Fact& fact : call(i + 1, calls[i].first, calls[i].second)) facts.push_back(fact);
    }
    const Debrief debrief = fold_of(facts);
    CHECK(debrief.calibration[3].calls == 2);
    CHECK(debrief.calibration[3].failed == 1);
    CHECK(debrief.calibration[2].failed == 1);
    CHECK(debrief.calibration[1].calls == 0);
    CHECK(debrief.calibration[0].calls == 1);
  }

  TEST_CASE("a run that goes on has not ended, and its pause does not count") {
    const auto at_second = [](std::int64_t second, Fact::What what) {
      return Fact{.time = spoor::Timestamp{second * 1'000'000}, .what = std::move(what)};
    };
    DebriefFold fold;
    fold.add(at_second(10, RunStarted{.run_id = "r"}));
    fold.add(at_second(14, Terminated{.by = "max_cost"}));
    fold.add(at_second(14, Completed{.status = "stopped"}));
    CHECK(fold.finish().verdict->elapsed_ms == 4'000);
    fold.add(at_second(1'000, Noted{"resumed", ""}));
    CHECK_FALSE(fold.finish().verdict);
    CHECK(fold.finish().termination.by == "unknown");
    fold.add(at_second(1'001, Completed{.status = "success"}));
    CHECK(fold.finish().verdict->elapsed_ms == 5'000);
  }

  TEST_CASE("a call is known by its tool's own name, once that is told") {
    const Debrief debrief = fold_of({
        at(1, CallChosen{1, "notes_search", because("w")}),
        at(1, CallReturned{.number = 1, .tool = "notes.search", .is_error = true}),
    });
    CHECK(debrief.path.head()[0].action == "tool:notes.search");
    CHECK_FALSE(debrief.tools.contains("notes_search"));
    CHECK(debrief.tools.at("notes.search").calls == 1);
    CHECK(debrief.tools.at("notes.search").explained == 1);
    CHECK(debrief.tools.at("notes.search").failed == 1);
  }

  TEST_CASE("an unknown ref is marked on the call that cites it") {
    Rationale cites = because("as seen");
    cites.refs = {"obs:1", "obs:9"};
    const Debrief debrief = fold_of({
        at(1, CallChosen{1, "a", cites}),
        at(2, CallChosen{2, "b", because("other")}),
        at(2, RefUnknown{1, "obs:9"}),
    });
    CHECK(debrief.path.head()[0].unknown_refs == std::vector<std::string>{"obs:9"});
    CHECK(debrief.path.head()[1].unknown_refs.empty());
    CHECK(debrief.unknown_refs.total() == 1);
  }

  TEST_CASE("reasons are listed as they were given, the termination last") {
    const Debrief debrief = fold_of({
        at(1, CallChosen{1, "a", because("one")}),
        at(1, Curated{"dropped", "obs:1", because("two")}),
        at(2, StrategySwitched{"react", "plan", "three", {}}),
        at(2, CallChosen{2, "b", {}}),
        at(3, Terminated{.by = "max_cost", .rationale = because("five")}),
        at(3, Reacted{"branch", "x", because("four")}),
    });
    std::vector<std::string> told;
    for (const DecisionReason& reason : reasons_of(debrief)) {
      told.push_back(reason.decision + "/" + reason.tool + "/" + reason.rationale.why);
    }
    CHECK(told == std::vector<std::string>{"tool-selection/a/one", "curator-dropped//two",
                                           "strategy-switch:react→plan//three",
                                           "reactive-branch//four", "termination:max_cost//five"});
  }

  TEST_CASE("a long run keeps its beginning and its end, and counts all") {
    DebriefFold fold(10);
    for (std::uint64_t i = 1; i <= 1'000; ++i) {
      fold.add(at(static_cast<std::int64_t>(i), CallChosen{i, "t" + std::to_string(i), {}}));
      fold.add(at(0, CallReturned{.number = i, .said = std::to_string(i)}));
    }
    const Debrief debrief = fold.finish();
    CHECK(debrief.path.total() == 1'000);
    CHECK(debrief.path.size() == 10);
    CHECK(debrief.path.left_out() == 990);
    CHECK(debrief.path.head().back().tool == "t5");
    CHECK(debrief.path.tail().front().outcome->said == "996");
    CHECK(debrief.calls == 1'000);
    CHECK(debrief.tools.size() == kMaxTools + 1);
    CHECK(debrief.tools.at("(others)").calls == 1'000 - kMaxTools);
    CHECK(classic_text(debrief).find("t5 → … → t996") != std::string::npos);
  }

  TEST_CASE("texts are cut between code points") {
    CHECK(cut("äöü", 3) == "äöü");
    CHECK(cut("äöüß", 3) == "äö…");
    CHECK(cut("ab", 1) == "…");
    CHECK(cut("\xff\xff\xff", 2) == "\xff…");
    CHECK(first_line("\n  one\r\ntwo", 80) == "one");
    CHECK(first_words("-----\n\n  Ran 5 tests\nOK", 80) == "Ran 5 tests");
    CHECK(first_words("---\n===\n", 80) == "---");
    CHECK(one_line(" a \n\t b ") == "a b");
  }
}
