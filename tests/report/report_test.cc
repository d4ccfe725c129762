// Events summed up, and the documents made of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "guard/check/evaluations.h"
#include "report/phrases.h"
#include "report/report.h"
#include "tests/support/holds.h"
#include "trace/content.h"

namespace spoor::report {

using trace::Content;
using trace::ModelOutput;
using trace::shown;
using trace::Violation;

namespace {

using spoor::testing::holds;

using Type = AgentAction::Type;

Content text(std::string what) { return {.mode = Content::Mode::full, .text = std::move(what)}; }

llm::Money dollars(std::int64_t cents) { return {cents * 10'000'000}; }

DecisionEvent completion(const std::string& id, std::int64_t tokens) {
  DecisionEvent event{.kind = EventKind::completion, .timestamp = "2026-11-21T20:13:24.000000Z"};
  event.session.run_id = "0123456789abcdef";
  event.agent_action = {.type = Type::plan, .summary = text("asks for read_file")};
  event.prompt_provenance.model = "m-1";
  event.model_output = ModelOutput{.completion_id = id, .input_tokens = tokens, .output_tokens = 5};
  return event;
}

DecisionEvent action(Type type, std::string what, std::vector<Artifact> artifacts = {}) {
  DecisionEvent event{.kind = EventKind::action};
  event.agent_action = {
      .type = type, .summary = text(std::move(what)), .artifacts = std::move(artifacts)};
  return event;
}

Artifact edit(const std::string& path, std::int64_t added, std::int64_t removed) {
  return {.type = Artifact::Type::file_edit,
          .path = text(path),
          .lines_added = added,
          .lines_removed = removed};
}

Report report_of(const std::vector<DecisionEvent>& events, std::size_t most = 1'000) {
  ReportFold fold(most);
  for (const DecisionEvent& event : events) fold.add(event);
  return fold.finish(report::debrief::Debrief());
}

}  // namespace

TEST_SUITE("report") {
  TEST_CASE("tokens that no answer states are unknown, not zero") {
    DecisionEvent silent = completion("msg_1", 0);
    silent.model_output->input_tokens.reset();
    silent.model_output->output_tokens.reset();
    const Report report = report_of({silent});
    CHECK(holds(to_markdown(report), "**Tokens:** unknown\n"));
    CHECK(holds(to_json(report), R"("input_tokens":null)"));
    CHECK(holds(to_json(report), R"("output_tokens":null)"));
  }

  TEST_CASE("a cost that was reckoned from list prices says so") {
    ReportFold fold;
    DecisionEvent event = completion("msg_1", 12'345);
    event.model_output->cost = dollars(2);
    event.model_output->cost_trust = trace::Trust::estimated;
    fold.add(event);
    report::debrief::Debrief debrief;
    debrief.totals.emplace();
    debrief.totals->tokens = {.input = 12'345, .output = 5, .trust = trace::Trust::reported};
    debrief.totals->cost = {dollars(2), trace::Trust::estimated};
    const Report report = fold.finish(std::move(debrief));
    CHECK(spent_of(report.timeline.head()[0]) == "12,350 tok, ≈$0.02");
    const auto facts = facts_of(report);
    const std::pair<std::string, std::string> tokens = {
        "Tokens", "12,345 in, 5 out, ≈$0.02 (estimated from list prices)"};
    CHECK(std::find(facts.begin(), facts.end(), tokens) != facts.end());
    CHECK(holds(to_markdown(report), "≈"));
    CHECK(holds(to_json(report), R"("is_cost_estimated":true)"));
  }

  TEST_CASE("edits are counted by file, and a path that is not shown is none") {
    Artifact hidden = edit("x", 1, 1);
    hidden.path = Content{.mode = Content::Mode::hashed, .hash = "hmac-sha256:", .bytes = 9};
    Artifact uncounted = edit("src/b.cc", 0, 0);
    uncounted.lines_added.reset();
    const Report report = report_of({action(Type::edit, "edits", {edit("src/a.cc", 3, 1)}),
                                     action(Type::edit, "edits", {edit("src/a.cc", 2, 0)}),
                                     action(Type::edit, "edits", {hidden, uncounted})});
    REQUIRE(report.files.size() == 2);
    CHECK(report.files.at("src/a.cc").edits == 2);
    CHECK(report.files.at("src/a.cc").lines_added == 5);
    CHECK(report.files.at("src/a.cc").lines_removed == 1);
    CHECK_FALSE(report.files.at("src/b.cc").is_counted);
    CHECK(report.hidden_edits == 1);
  }

  TEST_CASE("of an edit that does not say how large it was, nothing is said") {
    Artifact uncounted = edit("src/b.cc", 0, 0);
    uncounted.lines_added.reset();
    uncounted.lines_removed.reset();
    const Report none = report_of({action(Type::edit, "edits", {uncounted})});
    CHECK(diff_stat(none.files.at("src/b.cc")) == "size unknown");
    const Report some =
        report_of({action(Type::edit, "edits", {uncounted, edit("src/b.cc", 2, 1)})});
    CHECK(diff_stat(some.files.at("src/b.cc")) == "+2 −1 and more");
  }

  TEST_CASE("commands, tests and what was refused are told apart") {
    const Artifact failed{.type = Artifact::Type::test_run, .exit_code = 2};
    DecisionEvent broken = action(Type::command, "ls nowhere");
    broken.agent_action.tool_results = {{.name = "run_command", .is_error = true}};
    const Report report =
        report_of({action(Type::run_tests, "ctest", {failed}), action(Type::run_tests, "ctest"),
                   broken, action(Type::deploy, "kubectl apply"), action(Type::blocked, "rm -rf /"),
                   action(Type::other, "reads a file")});
    CHECK(report.tests_run == 2);
    CHECK(report.tests_failed == 1);
    CHECK(report.commands_run == 2);
    CHECK(report.commands_failed == 1);
    REQUIRE(report.commands.total() == 4);
    CHECK(report.commands.head()[0].exit_code == 2);
    CHECK(report.actions.at("run_tests") == 2);
    CHECK(report.timeline.total() == 6);
  }

  TEST_CASE("a person's pass is no violation, and a person's overriding word is counted once") {
    const auto judged = [](CheckStatus status) {
      const auto judgement = guard::check::persons_judgement(Oid(), status, "ok", true);
      DecisionEvent one = action(Type::command, "make");
      one.evaluation = guard::check::evaluation_of({judgement});
      DecisionEvent word = one;
      word.kind = EventKind::override_;
      word.agent_action.type = Type::override_;
      return report_of({one, word}).violations;
    };
    CHECK(judged(CheckStatus::pass).empty());
    const auto failed = judged(CheckStatus::fail);
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].id == "person");
    CHECK(failed[0].count == 1);

    // ReplyAdditions what a check found.
    auto passed = guard::check::persons_judgement(Oid(), CheckStatus::pass, "ok", false);
    passed.results.push_back({.check = "paths",
                              .status = CheckStatus::fail,
                              .violations = {{"scope.outside", Severity::high, {}, {}}}});
    DecisionEvent both = action(Type::edit, "write");
    both.evaluation = guard::check::evaluation_of({passed});
    const auto kept = report_of({both}).violations;
    REQUIRE(kept.size() == 1);
    CHECK(kept[0].id == "scope.outside");
  }

  TEST_CASE("violations come by severity, then by how often") {
    const auto breach = [](const char* id, Severity severity) {
      return Violation{id, severity, text(id), text("x")};
    };
    DecisionEvent one = action(Type::edit, "e");
    one.evaluation.policy_checks = {
        {.check = "scope", .violations = {breach("b", Severity::low), breach("a", Severity::low)}}};
    DecisionEvent two = action(Type::edit, "e");
    two.evaluation.violations = {breach("a", Severity::low)};
    two.evaluation.quality_checks = {
        {.check = "q", .violations = {breach("c", Severity::critical)}}};
    two.evaluation.quality = CheckStatus::fail;
    two.evaluation.policy = CheckStatus::pass;
    const Report report = report_of({one, two});
    REQUIRE(report.violations.size() == 3);
    CHECK(report.violations[0].id == "c");
    CHECK(report.violations[1].id == "a");
    CHECK(report.violations[1].count == 2);
    CHECK(report.violations[2].id == "b");
    CHECK(report.evaluations.at("fail") == 1);
    CHECK(report.evaluations.at("unknown") == 1);
  }

  TEST_CASE("what grows with the run is bounded, and the plot ends where the sum is") {
    ReportFold fold(10);
    for (int i = 0; i < 10'000; ++i) {
      DecisionEvent event = completion(std::to_string(i), 1);
      event.agent_action.artifacts = {edit(std::to_string(i), 1, 0)};
      event.evaluation.violations = {{std::to_string(i), Severity::low, {}, {}}};
      event.kind = i % 2 == 0 ? EventKind::completion : EventKind::action;
      event.model_output->cost = dollars(1);
      fold.add(event);
    }
    const Report report = fold.finish(report::debrief::Debrief());
    CHECK(report.events == 10'000);
    CHECK(report.timeline.size() == 10);
    CHECK(report.files.size() == kMaxFiles + 1);
    CHECK(report.files.at(kOthers).edits == 5'000 - kMaxFiles);
    CHECK(report.violations.size() == kMaxRules + 1);
    CHECK(report.spending.size() <= kMaxPoints + 1);
    CHECK(report.spending.size() > kMaxPoints / 3);
    CHECK(report.spending.back().tokens == 60'000);
    CHECK(report.spending.back().cost == dollars(10'000));
    CHECK(report.spending.back().event == 9'999);
    for (std::size_t i = 1; i < report.spending.size(); ++i) {
      CHECK(report.spending[i - 1].event < report.spending[i].event);
      CHECK(report.spending[i - 1].tokens < report.spending[i].tokens);
    }
  }

  TEST_CASE("no text of a run is heeded by a document") {
    const std::string hostile =
        "</li><script>alert(1)</script><img src=x onerror=alert(1)>\"'`|[a](http://b)\x1b[31m\xff";
    DecisionEvent event = action(Type::edit, hostile, {edit(hostile, 1, 0)});
    event.timestamp = hostile;
    event.session.run_id = hostile;
    event.prompt_provenance.model = hostile;
    event.evaluation.violations = {{hostile, Severity::high, text(hostile), text(hostile)}};
    DecisionEvent said = event;
    said.kind = EventKind::completion;
    const Report report = report_of({event, said, action(Type::command, hostile)});
    const std::string html = to_html(report);
    for (const char* part : {"<script", "<img", "\x1b", "\xff", "onerror=alert(1)>"}) {
      CHECK_FALSE(holds(html, part));
    }
    CHECK(holds(html, "&lt;script&gt;"));
    CHECK(holds(html, "default-src 'none'; style-src 'sha256-"));
    const std::string markdown = to_markdown(report);
    for (std::size_t at = 0; at < markdown.size(); ++at) {
      const bool may_be_heeded = markdown[at] == '<' || markdown[at] == '[';
      if (may_be_heeded) CHECK(markdown[at - 1] == '\\');
    }
    const std::string document = to_json(report);
    const auto json = json::parse(document);
    REQUIRE(json);
    CHECK(json->root().find("events").integer() == 3);
  }

  TEST_CASE("a report of nothing is a report") {
    const Report report = report_of({});
    CHECK(holds(to_html(report), "None that was recorded."));
    CHECK_FALSE(holds(to_html(report), "<svg"));
    CHECK(holds(to_markdown(report), "## Timeline"));
    const std::string json = to_json(report);
    CHECK(json::parse(json));
  }

  TEST_CASE("what is not shown says why") {
    CHECK(shown({.mode = Content::Mode::hashed, .bytes = 12}) == "[hashed, 12 B]");
    CHECK(shown({.mode = Content::Mode::erased}) == "[erased]");
    CHECK(shown({}) == "[unknown]");
    CHECK(shown({.mode = Content::Mode::redacted, .text = "[REDACTED:email:1]"}) ==
          "[REDACTED:email:1]");
  }
}

}  // namespace spoor::report
