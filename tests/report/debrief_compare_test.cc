#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/debrief/compare.h"
#include "report/debrief/fold.h"
#include "report/debrief/views.h"

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::report::debrief;

namespace {

// Calls of these tools; `!` before a name: it fails.
Debrief run_of(const std::string& id, const std::vector<std::string>& tools) {
  DebriefFold fold;
  fold.add({.what = RunStarted{id, "the goal", "", "", "", ""}});
  std::uint64_t number = 0;
  for (const std::string& tool : tools) {
    const bool is_error = tool.starts_with('!');
    ++number;
    fold.add({.step = static_cast<std::int64_t>(number),
              .what = CallChosen{number, tool.substr(is_error ? 1 : 0), {}}});
    fold.add({.what = CallReturned{.number = number, .is_error = is_error}});
  }
  return fold.finish();
}

std::string shape_of(const Comparison& comparison) {
  std::string shape;
  for (const AlignedStep& step : comparison.steps) {
    shape += step.before == nullptr     ? '>'
             : step.after == nullptr    ? '<'
             : step.has_other_outcome() ? '!'
                                        : '=';
  }
  return shape;
}

}  // namespace

TEST_SUITE("report/debrief/compare") {
  TEST_CASE("paths are aligned by what they have in common") {
    const Debrief before = run_of("a", {"list", "grep", "read", "edit", "!test", "edit"});
    const Debrief after = run_of("b", {"list", "read", "read", "edit", "test"});
    const Comparison comparison = compare(before, after);
    CHECK(shape_of(comparison) == "=<=>=!<");
    CHECK(comparison.same == 4);
    CHECK(comparison.only_before == 2);
    CHECK(comparison.only_after == 1);
    CHECK(comparison.other_outcomes == 1);
    CHECK(comparison.first_difference()->before->tool == "grep");
    const std::string text = to_text(comparison);
    CHECK(text.find("├─ Decisions: 4 in both (1 with another outcome), 2 only <, 1 only >\n") !=
          std::string::npos);
    CHECK(text.find("├─ First difference: < step 2 grep\n") != std::string::npos);
    CHECK(text.find("│  ≠ step 5 test\n│    < step 5 test  → error\n│    > step 5 test  → ok\n") !=
          std::string::npos);
    const auto told = nlohmann::json::parse(to_json(comparison));
    CHECK(told["same"] == 4);
    CHECK(told["steps"][1]["change"] == "removed");
    CHECK(told["steps"][1]["after"].is_null());
    CHECK(told["steps"][5]["other_outcome"] == true);
  }

  TEST_CASE("equal runs have no difference, and are short to read") {
    const std::vector<std::string> tools(50, "read");
    const Debrief before = run_of("a", tools);
    const Debrief after = run_of("b", tools);
    const Comparison comparison = compare(before, after);
    CHECK(comparison.first_difference() == nullptr);
    const std::string text = to_text(comparison);
    CHECK(text.find("│  = 50 decisions alike, step 1 read to step 50 read\n") != std::string::npos);
    CHECK(text.find("├─ First difference: none\n") != std::string::npos);
  }

  TEST_CASE("one run without a step, and what only one assumed") {
    DebriefFold fold;
    fold.add({.what = Assumed{"it is Monday", {}}});
    const Debrief before = fold.finish();
    const Debrief after = run_of("b", {"list"});
    const Comparison comparison = compare(before, after);
    CHECK(shape_of(comparison) == ">");
    CHECK(comparison.assumed_before.size() == 1);
    CHECK(to_text(comparison).find("├─ Assumed only by <\n│  • \"it is Monday\"\n") !=
          std::string::npos);
    CHECK(to_text(comparison).find("First difference: > step 1 list") != std::string::npos);
  }
}

TEST_SUITE("report/debrief/html") {
  TEST_CASE("no text of a run is markup, and the page loads and runs nothing") {
    const std::string evil = "<script>alert('x')</script>&\"\x1b[31m\u202e\xff";
    DebriefFold fold;
    fold.add({.what = RunStarted{evil, evil, evil, evil, evil, evil}});
    fold.add({.what = CallChosen{1, evil, Rationale{evil, {evil}, {{evil, evil}}, 0.5}}});
    fold.add({.what = CallReturned{.number = 1, .is_error = true, .said = evil}});
    fold.add({.what = StrategySwitched{evil, evil, evil, {}}});
    fold.add({.what = Assumed{evil, Rationale{.why = evil}}});
    fold.add({.what = Curated{evil, evil, Rationale{.why = evil}}});
    fold.add({.what = Weighed{evil, {{evil, evil}}}});
    fold.add({.what = Reacted{evil, evil, Rationale{.why = evil}}});
    fold.add({.what = Noted{evil, evil}});
    fold.add({.what = RefUnknown{1, evil}});
    fold.add({.what = Terminated{evil, Rationale{.why = evil}, evil, evil}});
    fold.add({.what = Completed{.status = evil, .answer = evil, .error = evil}});
    const std::string page = to_html(fold.finish());
    for (const char* bad : {"<script", "alert('", "\x1b", "\u202e", "\xff",
                            "http:", "src=", "onload", "@import", "url("}) {
      INFO(bad);
      CHECK(page.find(bad) == std::string::npos);
    }
    CHECK(page.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;[U+001B][31m"
                    "[U+202E]\xef\xbf\xbd") != std::string::npos);
    CHECK(page.find("content=\"default-src 'none'; style-src 'sha256-") != std::string::npos);
  }
}
