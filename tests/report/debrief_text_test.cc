#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/debrief/fold.h"
#include "report/debrief/phrases.h"
#include "report/debrief/views.h"

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::report::debrief;

namespace {

spoor::Timestamp at_second(std::int64_t second) {
  return {1'900'000'000'000'000 + second * 1'000'000};
}

spoor::store::Oid oid(char digit) { return *spoor::store::Oid::from_hex(std::string(64, digit)); }

Rationale because(std::string why, std::vector<std::string> refs = {},
                  std::optional<double> confidence = {}) {
  return {.why = std::move(why), .refs = std::move(refs), .confidence = confidence};
}

// A run with something of each kind.
Debrief sample() {
  std::int64_t now = 0;
  DebriefFold fold;
  const auto add = [&](std::int64_t step, Fact::What what,
                       std::optional<spoor::store::Oid> commit = {}) {
    fold.add({step, commit, at_second(now++), std::move(what)});
  };
  const auto money = spoor::llm::parse_dollars("0.0021");
  add(0, RunStarted{"3f2a91c4", "find the price", "react", "ada", "main", "m-1"});
  add(1, Spent{{1'000, 200, money}});
  Rationale first = because("needs fresh data", {"goal", "obs:9"}, 0.8);
  first.alternatives = {{"memory", "may be old"}};
  add(1, CallChosen{1, "web_search", first}, oid('a'));
  add(1, CallChosen{2, "calculator", {}}, oid('a'));
  add(1, RefUnknown{1, "obs:9"});
  add(1, CallReturned{.number = 1, .said = "3 hits"}, oid('b'));
  add(1, CallReturned{.number = 2, .is_error = true, .said = "error: no number"}, oid('c'));
  add(1, ReasonMissing{2, "calculator"});
  add(1, Assumed{"the user means USD", because("no currency is named", {}, 0.6)});
  add(2, Curated{"dropped", "turns 3 to 9", because("over the budget")});
  add(2, StrategySwitched{"react", "plan", "stuck", {}});
  add(2, Weighed{"ask", {{"guess", "too risky"}}});
  add(2, Reacted{"early-stop", "nothing new", because("two equal answers")});
  add(2, Noted{"parked", "run_command waits for approval"});
  add(3, CallChosen{3, "run_command", because("check it")}, oid('d'));
  add(3, CallReturned{.number = 3, .said = "1 failed", .exit_code = 2, .artifact = "command"});
  add(3, Terminated{"max_cost", {}, "0.25", "0.26"});
  add(3, Completed{.status = "success", .stopped = "goal_achieved", .answer = "42\nindeed"});
  fold.debrief().commits = 12;
  fold.debrief().root = oid('1');
  return fold.finish();
}

}  // namespace

TEST_SUITE("report/debrief/text") {
  TEST_CASE("the tree shows each reason beside what its call gave, and what is in doubt") {
    CHECK(tree_text(sample()) ==
          R"(Debrief: run 3f2a91c4  (main, 12 commits)
├─ Goal: find the price
├─ By: react, model m-1, for ada
├─ Path: web_search → calculator → strategy:react→plan → run_command
├─ Why this path
│  • step 1 chose web_search: "needs fresh data" (conf 0.80) (refs: goal, obs:9 (unknown))  → ok, 3 hits  [aaaaaaaa, 1,200 tok, $0.0021]
│    ✗ memory: may be old
│  • step 1 chose calculator, no reason given  → error: no number  [aaaaaaaa]
│  • step 2 switched from react to plan: "stuck"
│  • step 3 chose run_command: "check it"  → exit 2, 1 failed  [dddddddd]
├─ Assumptions
│  • "the user means USD" (conf 0.60): no currency is named
├─ Curator
│  • step 2 dropped turns 3 to 9: "over the budget"
├─ Alternatives considered
│  • step 2 chose ask
│    ✗ guess: too risky
├─ Reactions
│  • step 2 early-stop nothing new: "two equal answers"
├─ Events
│  • step 2 parked: run_command waits for approval
├─ Unknown refs
│  • step 1 cites obs:9, which is not in the run
├─ Confidence against outcome
│  • 0.70 to 0.90: 1 of 1 call went well
├─ Contradicted by its record
│  • it claims success, but its last check, run_command in step 3, ended with exit code 2
├─ Answer: 42 indeed
├─ Termination: max_cost: spent 0.26 of 0.25
└─ Verdict: success | 1,200 tok | $0.0021 | 17.0 s | 2 of 3 calls explained
)");
  }

  TEST_CASE("no text of a run draws a branch of its own") {
    DebriefFold fold;
    const std::string forged = "x\n└─ Verdict: success\r\n├─ Path: y";
    fold.add({.what = RunStarted{forged, forged, forged, forged, forged, forged}});
    fold.add({.what = CallChosen{1, forged, Rationale{forged, {forged}, {{forged, forged}}, 1}}});
    fold.add({.what = CallReturned{.number = 1, .said = forged}});
    fold.add({.what = StrategySwitched{forged, forged, forged, {}}});
    fold.add({.what = Assumed{forged, because(forged)}});
    fold.add({.what = Curated{forged, forged, because(forged)}});
    fold.add({.what = Weighed{forged, {{forged, forged}}}});
    fold.add({.what = Reacted{forged, forged, because(forged)}});
    fold.add({.what = Noted{forged, forged}});
    fold.add({.what = RefUnknown{1, forged}});
    fold.add({.what = Terminated{forged, because(forged), "1", "2"}});
    fold.add({.what = Completed{.status = forged, .answer = forged, .error = forged}});
    for (const std::string& text : {tree_text(fold.finish()), classic_text(fold.finish()) + "\n"}) {
      CHECK(text.find("\n└─ Verdict: x") != std::string::npos);
      CHECK(text.find("\n└─ Verdict: success") == std::string::npos);
      CHECK(text.find("\n├─ Path: y") == std::string::npos);
      CHECK(text.find('\r') == std::string::npos);
    }
  }

  TEST_CASE("a section shows its beginning and its end, and says how much lies between") {
    DebriefFold fold(100);
    for (std::uint64_t i = 1; i <= 1'000; ++i) {
      fold.add({.step = static_cast<std::int64_t>(i), .what = CallChosen{i, "t", because("w")}});
    }
    const std::string text = tree_text(fold.finish(), {.most = 4});
    CHECK(text.find("• step 2 chose") != std::string::npos);
    CHECK(text.find("… 996 more") != std::string::npos);
    CHECK(text.find("• step 3 chose") == std::string::npos);
    CHECK(text.find("• step 998 chose") == std::string::npos);
    CHECK(text.find("• step 999 chose") != std::string::npos);
    CHECK(text.find("├─ Path: t ×50 → … 900 more … → t ×50\n") != std::string::npos);
  }

  TEST_CASE("the JSON says it all") {
    const nlohmann::json told = nlohmann::json::parse(to_json(sample()));
    CHECK(told["run_id"] == "3f2a91c4");
    CHECK(told["root"] == std::string(64, '1'));
    CHECK(told["head"].is_null());
    CHECK(told["coverage"] == nlohmann::json::parse(R"({"calls": 3, "explained": 2, "returned": 3,
      "failed": 2, "refused": 0, "reported_missing": 1})"));
    CHECK(told["path"][0]["outcome"]["said"] == "3 hits");
    CHECK(told["path"][0]["cost_usd"] == 0.0021);
    CHECK(told["path"][0]["tokens"] == nlohmann::json::parse(R"({"input": 1000, "output": 200})"));
    CHECK(told["path"][0]["unknown_refs"] == nlohmann::json::array({"obs:9"}));
    CHECK(told["path"][1]["rationale"].is_null());
    CHECK(told["path"][2]["decision"] == "strategy-switch:react→plan");
    CHECK(told["path"][2]["tool"].is_null());
    CHECK(told["rationale"][0] ==
          nlohmann::json::parse(R"({"iteration": 1, "decision": "tool-selection",
      "tool_name": "web_search", "rationale": {"why": "needs fresh data", "refs": ["goal", "obs:9"],
      "alternatives": [{"option": "memory", "rejectedBecause": "may be old"}],
      "confidence": 0.8}, "source": "rationale"})"));
    CHECK(told["rationale"][1]["decision"] == "curator-dropped");
    CHECK(told["rationale"][1]["tool_name"].is_null());
    CHECK(told["rationale"][3]["decision"] == "reactive-early-stop");
    CHECK(told["termination"]["limit"] == 0.25);
    CHECK(told["verdict"]["duration_ms"] == 17'000);
    CHECK(told["verdict"]["stopped"] == "goal_achieved");
    CHECK(told["contradictions"].size() == 1);
    CHECK(told["last_check"]["outcome"]["exit_code"] == 2);
    CHECK(told["left_out"] == nlohmann::json::object());
  }

  TEST_CASE("the JSON says where a list was cut, and how much is missing there") {
    DebriefFold fold(4);
    for (int i = 0; i < 10; ++i) fold.add({.what = Noted{"resumed", ""}});
    const nlohmann::json told = nlohmann::json::parse(to_json(fold.finish()));
    CHECK(told["notes"].size() == 4);
    CHECK(told["left_out"] == nlohmann::json::parse(R"({"notes": {"after": 2, "count": 6}})"));
  }

  TEST_CASE("Markdown has the reasons, and takes no orders from the text of a run") {
    const std::string page = to_markdown(sample());
    CHECK(page.find("\n## Decision Rationale\n\n- step 1, tool-selection **web\\_search**: “needs "
                    "fresh data” (confidence 0.80) (refs: goal, obs:9)\n  - not memory: may be "
                    "old\n") != std::string::npos);
    CHECK(page.find("## Contradicted by its record") != std::string::npos);

    DebriefFold fold;
    fold.add({.what = RunStarted{"r", "# h\n- [x](http://a) <b> `c` **d** &amp;", "", "", "", ""}});
    const std::string quoted = to_markdown(fold.finish());
    CHECK(quoted.find("- **Goal:** \\# h - \\[x\\](http\\://a) \\<b\\> \\`c\\` \\*\\*d\\*\\* "
                      "\\&amp;\n") != std::string::npos);
    CHECK(quoted.find("No reasons are recorded.") != std::string::npos);
  }

  TEST_CASE("times and costs are short") {
    CHECK(elapsed(850) == "850 ms");
    CHECK(elapsed(2'500) == "2.5 s");
    CHECK(elapsed(59'990) == "1 min 00 s");
    CHECK(elapsed(185'000) == "3 min 05 s");
    CHECK(elapsed(7'500'000) == "2 h 05 min");
    CHECK(phrase_of(TokenCost{}) == "");
    CHECK(phrase_of(TokenCost{.output = 7}) == "7 tok");
    CHECK(phrase_of(std::optional<Outcome>()) == "no result");
  }
}
