#include "guard/check/evaluations.h"

#include <doctest/doctest.h>

#include "guard/check/reply.h"
#include "tests/guard/check_events.h"

namespace spoor::guard::check {

using trace::Constraint;
using trace::Severity;

namespace {

CheckResult result_of(std::string check, CheckStatus status,
                      Constraint::Type type = Constraint::Type::scope) {
  CheckResult result;
  result.check = std::move(check);
  result.status = status;
  result.type = type;
  if (status == CheckStatus::fail) {
    result.violations.push_back(
        {"scope.denied-path", Severity::high, full_content("'x' is denied"), full_content("x")});
  }
  return result;
}

Judgement of_checks(const Oid& commit, std::vector<CheckResult> results) {
  Judgement judgement;
  judgement.commit = commit;
  judgement.results = std::move(results);
  return judgement;
}

// Keeps no text, and no attachment.
class NoTexts final : public compile::Scrubber {
 public:
  compile::Capture capture() const override { return compile::Capture::hashed; }
  Result<std::string> scrub(compile::Slot slot, std::string bytes) const override {
    if (slot == compile::Slot::text) return std::string("x");
    if (slot == compile::Slot::attachment) return std::string("{}");
    return bytes;
  }
};

}  // namespace

TEST_SUITE("guard/check/evaluations") {
  TEST_CASE("judgements are notes about their commits, read in order, and none is overwritten") {
    const auto repository = graph::Repository::in_memory();
    const Oid a = repository->branch("main").user("a").value();
    const Oid b = repository->branch("main").user("b").value();
    CHECK(read_evaluations(*repository).value().empty());
    const auto first = record(*repository,
                              {of_checks(a, {result_of("paths", CheckStatus::fail)}),
                               of_checks(b, {result_of("paths", CheckStatus::pass)})},
                              "check")
                           .value();
    REQUIRE(first.size() == 2);
    REQUIRE(record(*repository, {of_checks(a, {result_of("paths", CheckStatus::pass)})}, "check"));
    REQUIRE(
        record(*repository, {persons_judgement(a, CheckStatus::fail, "not so", false)}, "judge"));

    // A judgement is not judged: what it is about is.
    CHECK(record(*repository, {persons_judgement(first[0], CheckStatus::pass, "", false)}, "judge")
              .error()
              .code == Error::Code::invalid);

    const auto all = read_evaluations(*repository).value();
    REQUIRE(all.size() == 2);
    const auto& of_a = all.at(a);
    REQUIRE(of_a.size() == 3);
    CHECK(of_a[0].note == first[0]);
    CHECK(of_a[0].results[0].status == CheckStatus::fail);
    CHECK(of_a[0].results[0].violations[0].message.text == "'x' is denied");
    CHECK(of_a[1].results[0].status == CheckStatus::pass);
    CHECK(of_a[2].is_persons);
    CHECK(of_a[2].author == "user");

    // The branch has none of it, and the note says what it is.
    CHECK(repository->branch("main").tip().value() == b);
    const auto note = graph::read_turn(repository->reader(), first[0]).value();
    CHECK(note.type == compile::Type::note);
    CHECK(note.text == "fail: scope.denied-path: 'x' is denied");
    CHECK(note.about == std::vector<Oid>{a});
    CHECK(note.facts.text("note") == "evaluation");
    CHECK_FALSE(record(*repository, {of_checks(Oid(), {})}, "check"));
  }

  TEST_CASE("where no text is kept, what was found is, without its words") {
    graph::Repository::Options options;
    options.scrubber = std::make_shared<NoTexts>();
    const auto repository = graph::Repository::in_memory(std::move(options));
    const Oid a = repository->branch("main").user("a").value();
    CheckResult half = result_of("paths", CheckStatus::fail);
    half.score = 0.25;
    const std::vector<CheckResult> results = {
        half, result_of("safe", CheckStatus::pass, Constraint::Type::safety)};
    REQUIRE(record(*repository, {of_checks(a, results)}, "check"));
    const auto all = read_evaluations(*repository).value();
    const Evaluation evaluation = evaluation_of(all.at(a));
    CHECK(evaluation.alignment == CheckStatus::fail);
    CHECK(evaluation.score == 0.25);
    CHECK(evaluation.policy == CheckStatus::pass);
    CHECK(evaluation.violations.empty());
  }

  TEST_CASE("the newest result of a check counts, and a person's overriding word ends all before") {
    const auto evaluate = [](std::vector<Judgement> judgements) {
      return evaluation_of(judgements);
    };
    const Oid x;
    const auto failing =
        of_checks(x, {result_of("paths", CheckStatus::fail),
                      result_of("safe", CheckStatus::fail, Constraint::Type::safety)});
    const auto passing = of_checks(x, {result_of("paths", CheckStatus::pass)});
    CHECK(evaluate({}).alignment == CheckStatus::unknown);
    CHECK(evaluate({failing}).alignment == CheckStatus::fail);
    CHECK(evaluate({failing}).violations.size() == 1);
    CHECK(evaluate({failing}).policy == CheckStatus::fail);
    CHECK(evaluate({failing}).quality == CheckStatus::unknown);
    CHECK(evaluate({failing, passing}).alignment == CheckStatus::pass);
    CHECK(evaluate({failing, passing}).policy == CheckStatus::fail);
    const auto person = persons_judgement(x, CheckStatus::fail, "", false);
    CHECK(evaluate({passing, person}).alignment == CheckStatus::fail);
    const auto overriding = persons_judgement(x, CheckStatus::pass, "I looked", true);
    CHECK(evaluate({failing, overriding}).alignment == CheckStatus::pass);
    CHECK(evaluate({failing, overriding}).policy == CheckStatus::unknown);
    CHECK(evaluate({overriding, failing}).alignment == CheckStatus::fail);
  }

  TEST_CASE("the lowest score of alignment is the event's") {
    CheckResult half = result_of("a", CheckStatus::warn);
    half.score = 0.5;
    CheckResult whole = result_of("b", CheckStatus::pass);
    whole.score = 1;
    CHECK(evaluation_of_results({half, whole}).score == 0.5);
    CHECK_FALSE(evaluation_of_results({result_of("c", CheckStatus::pass)}).score);
  }
}

TEST_SUITE("guard/check/reply") {
  TEST_CASE("what a judge says is read strictly") {
    const auto good = read_reply(
        R"({"status":"fail","score":0.25,"violations":[{"id":"a","message":"b","evidence":"c","severity":"low"}]})");
    REQUIRE(good);
    CHECK(good->score == 0.25);
    CHECK(good->violations.front().severity == Severity::low);
    CHECK(read_reply(R"({"status":"pass"})"));
    CHECK(read_reply(R"({"status":"pass","score":null,"violations":[],"more":1})"));
    for (const char* bad :
         {"", "pass", "[]", "{}", R"({"status":"ok"})", R"({"status":"pass","score":2})",
          R"({"status":"pass","score":"1"})", R"({"status":"fail","violations":{}})",
          R"({"status":"fail","violations":["a"]})",
          R"({"status":"fail","violations":[{"id":"a"}]})",
          R"({"status":"fail","violations":[{"id":"","message":"b"}]})",
          R"({"status":"fail","violations":[{"id":"a","message":"b","severity":"bad"}]})",
          R"({"status":"pass","violations":[{"id":"a","message":"b","severity":"high"}]})",
          R"({"status":"fail","status":"pass"})", R"({"status":"pass","st\u0061tus":"pass"})",
          R"({"status":"pass"} x)"}) {
      CAPTURE(std::string(bad));
      CHECK_FALSE(read_reply(bad));
    }
    CHECK(read_reply_in("Well:\n```json\n{\"status\":\"warn\"}\n```\n")->status ==
          CheckStatus::warn);
    CHECK_FALSE(read_reply_in("I think it passes."));
    CHECK_FALSE(read_reply_in(R"(It says {"status":"pass"}, which is wrong: {"status":"fail"})"));
    CHECK(read_reply_in(R"({"status":"fail"}, so {"status":"fail"})")->status == CheckStatus::fail);
  }

  TEST_CASE("a result is kept as it is") {
    CheckResult result = result_of("paths", CheckStatus::fail);
    result.score = 0.1;
    result.by = "9be01d77";
    const auto back = read_result(write_result(result)).value();
    CHECK(write_result(back) == write_result(result));
    CHECK(back.type == Constraint::Type::scope);
    CHECK(back.by == "9be01d77");
    CHECK_FALSE(read_result("{}"));
  }
}

}  // namespace spoor::guard::check
