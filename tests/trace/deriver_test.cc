// The steps that commits come to.
#include <doctest/doctest.h>

#include "tests/trace/stage.h"

using namespace spoor;
using testing::TraceStage;
using trace::Call;
using trace::FailedRequest;
using trace::Message;
using trace::Outcome;
using trace::Reason;
using trace::Trust;

TEST_SUITE("trace/deriver") {
  TEST_CASE("a call is paired with its result by the id, wherever the result is stored") {
    TraceStage stage;
    stage.user("Look.");
    stage.result("t1", "a file");  // Old importers stored some results before their calls.
    stage.answer("", {{"t1", "Read", R"({"path":"a"})"}, {"t2", "Bash", "{}"}}, "m1");
    stage.answer("Between.", {}, "m2");
    stage.result("t2", "b");
    const auto calls = stage.all<Call>();
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].asked.id == "t1");
    CHECK(calls[0].asked.arguments == R"({"path":"a"})");
    CHECK(calls[0].tool == "Read");
    CHECK(calls[0].outcome == Outcome::ok);
    CHECK(calls[1].asked.id == "t2");
    CHECK(calls[1].place == 2);
    CHECK(calls[1].answer == calls[0].answer);
  }

  TEST_CASE("results of calls of one answer that share an id are theirs in order") {
    TraceStage stage;
    stage.user("Look.");
    stage.answer("", {{"t", "Read", R"({"path":"a"})"}, {"t", "Read", R"({"path":"b"})"}});
    stage.result("t", "of a");
    stage.result("t", "of b");
    const auto calls = stage.all<Call>();
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].asked.arguments == R"({"path":"a"})");
    CHECK(calls[1].asked.arguments == R"({"path":"b"})");
    CHECK(stage.totals().unanswered == 0);
  }

  TEST_CASE("a call without a result is unanswered, and comes at the end") {
    TraceStage stage;
    stage.user("Look.");
    stage.answer("", {{"t1", "Read", "{}"}});
    stage.user("Never mind.");
    const auto steps = stage.steps();
    REQUIRE(std::holds_alternative<Call>(steps.back().what));
    CHECK(std::get<Call>(steps.back().what).outcome == Outcome::unanswered);
    CHECK_FALSE(std::get<Call>(steps.back().what).result);
    CHECK(stage.totals().unanswered == 1);
  }

  TEST_CASE("records of one message id are one answer, and the last usage counts") {
    TraceStage stage;
    stage.user("Look.");
    stage.answer("I look.", {}, "m1", R"({"input_tokens":10,"output_tokens":1})");
    stage.answer("", {{"t1", "Read", "{}"}}, "m1", R"({"input_tokens":10,"output_tokens":7})");
    stage.result("t1");
    stage.answer("", {{"t2", "Read", "{}"}}, "m1", R"({"input_tokens":10,"output_tokens":9})");
    stage.result("t2");
    const auto messages = stage.all<Message>();
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].records.size() == 3);
    CHECK(messages[0].calls.size() == 2);
    CHECK(messages[0].spent.usage.output == 9);
    const trace::Totals totals = stage.totals();
    CHECK(totals.answers == 1);
    CHECK(totals.calls == 2);
    CHECK(totals.tokens.input == 10);
    CHECK(totals.tokens.output == 9);
  }

  TEST_CASE("an id that comes again after a user's turn names another answer") {
    TraceStage stage;
    for (int i = 0; i < 2; ++i) {
      stage.user("Once more.");
      stage.answer("Done.", {}, "m1", R"({"input_tokens":10,"output_tokens":1})");
    }
    CHECK(stage.all<Message>().size() == 2);
    CHECK(stage.totals().answers == 2);
    CHECK(stage.totals().tokens.input == 20);
  }

  TEST_CASE("a message that goes on after words beside its result is counted once") {
    TraceStage stage;
    const std::string usage = R"({"input_tokens":10,"output_tokens":1})";
    stage.user("Go.");
    stage.answer("", {{"t1", "Read", "{}"}}, "m1", usage);
    compile::Turn result{.type = store::Type::tool, .text = "ok"};
    result.fields.call_id = "t1";
    result.facts.set_text("uuid", "r1");
    stage.commit(result);
    compile::Turn words{.type = store::Type::user, .text = "And the other."};
    words.facts.set_text("uuid", "r1");
    stage.commit(words);
    stage.answer("", {{"t2", "Read", "{}"}}, "m1", usage);
    CHECK(stage.all<Message>().size() == 2);
    CHECK(stage.totals().answers == 1);
    CHECK(stage.totals().tokens.input == 10);
  }

  TEST_CASE("an id that an early importer made up names several answers") {
    TraceStage stage;
    for (int i = 0; i < 2; ++i) {
      stage.user("Once more.");
      compile::Turn turn{.type = store::Type::assistant, .text = "Done."};
      turn.facts.set_text("message_id", "item-1");
      turn.facts.set_text("source", "codex");
      stage.commit(turn);
    }
    CHECK(stage.totals().answers == 2);
  }

  TEST_CASE("a result that is stored twice is not the result of a later call with the same id") {
    TraceStage stage;
    stage.user("Go.");
    stage.answer("", {{"c0", "Edit", "{}"}});
    stage.result("c0");
    stage.result("c0");
    stage.answer("", {{"c0", "Bash", "{}"}});
    stage.result("c0", "Exit code 1", true);
    CHECK(stage.totals().calls == 2);
    CHECK(stage.totals().failed == 1);
    CHECK(stage.totals().unanswered == 0);
  }

  TEST_CASE("a message that another answer interrupts is counted once") {
    TraceStage stage;
    stage.user("Look.");
    stage.answer("One.", {}, "m1", R"({"input_tokens":10,"output_tokens":1})");
    stage.answer("Two.", {}, "m2", R"({"input_tokens":20,"output_tokens":2})");
    stage.answer("Three.", {}, "m1", R"({"input_tokens":10,"output_tokens":3})");
    const auto messages = stage.all<Message>();
    REQUIRE(messages.size() == 3);
    CHECK(messages[2].continues);
    CHECK(stage.totals().answers == 2);
    CHECK(stage.totals().tokens.input == 30);
  }

  TEST_CASE("reasoning without an answer is an answer, with what it took") {
    TraceStage stage;
    stage.user("Think.");
    compile::Turn thought{.type = store::Type::reasoning, .text = "Hm."};
    thought.fields.format = "raw";
    thought.facts.set_json("usage", R"({"input_tokens":5,"output_tokens":4})");
    stage.commit(thought);
    stage.user("And?");
    const auto messages = stage.all<Message>();
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].records.empty());
    CHECK(messages[0].reasoning.size() == 1);
    CHECK(stage.totals().tokens.output == 4);
    CHECK(stage.totals().turns == 3);
  }

  TEST_CASE(
      "a reason is the thinking before the call, else the prose, else the tool's description") {
    TraceStage stage;
    stage.user("Go.");
    stage.branch.reasoning("First I look.").value();
    stage.answer("I look.", {{"t1", "Read", R"({"description":"Read it"})"}});
    stage.result("t1");
    stage.answer("Now I run.", {{"t2", "Bash", R"({"description":"Run it"})"}});
    stage.result("t2");
    stage.answer("", {{"t3", "Bash", R"({"description":" Run it "})"}});
    stage.result("t3");
    stage.answer("", {{"t4", "Bash", "{}"}});
    stage.result("t4");
    const auto calls = stage.all<Call>();
    REQUIRE(calls.size() == 4);
    const auto text = [&](std::size_t i) {
      return trace::read_reason(stage.repository->reader(), calls[i].asked.reason).value();
    };
    CHECK(calls[0].asked.reason.source == Reason::Source::thinking);
    CHECK(text(0) == "First I look.");
    CHECK(calls[1].asked.reason.source == Reason::Source::prose);
    CHECK(text(1) == "Now I run.");
    CHECK(calls[2].asked.reason.source == Reason::Source::description);
    CHECK(text(2) == "Run it");
    CHECK(calls[3].asked.reason.source == Reason::Source::none);
    CHECK(stage.totals().explained == 3);
  }

  TEST_CASE("an answer that is nothing but an error is a failed request") {
    TraceStage stage;
    stage.user("go");
    const auto fail = [&](const std::string& text, const std::string& usage) {
      spoor::compile::Turn turn{.type = spoor::store::Type::assistant, .text = text};
      turn.facts.set_text("error", "overloaded");
      turn.facts.set_text("model", "m1");
      if (!usage.empty()) turn.facts.set_json("usage", usage);
      stage.commit(turn);
    };
    fail("", R"({"input_tokens":0,"output_tokens":0})");
    CHECK(stage.all<Message>().empty());
    REQUIRE(stage.all<FailedRequest>().size() == 1);
    CHECK(stage.all<FailedRequest>()[0].model == "m1");
    CHECK(stage.all<FailedRequest>()[0].turns == 1);

    fail("It broke off her", "");                         // Words are an answer,
    fail("", R"({"input_tokens":9,"output_tokens":1})");  // and what it took counts.
    CHECK(stage.all<Message>().size() == 2);
    CHECK(stage.all<FailedRequest>().size() == 1);
  }

  TEST_CASE("a refused call has not failed") {
    TraceStage stage;
    stage.user("Go.");
    stage.answer("", {{"t1", "Bash", "{}"}, {"t2", "Bash", "{}"}});
    compile::Turn refused{.type = store::Type::tool, .text = "error: not allowed"};
    refused.fields.call_id = "t1";
    refused.fields.is_error = true;
    refused.facts.set_text("refused_by", "gate");
    stage.commit(refused);
    stage.result("t2", "no", true);
    const trace::Totals totals = stage.totals();
    CHECK(totals.calls == 2);
    CHECK(totals.refused == 1);
    CHECK(totals.failed == 1);
    CHECK(totals.unanswered == 0);
  }

  TEST_CASE("Copilot's own words say that a call was refused, where the result is an error") {
    TraceStage stage;
    stage.user("Go.");
    stage.answer("", {{"t1", "bash", "{}"}, {"t2", "bash", "{}"}});
    compile::Turn result{
        .type = store::Type::tool,
        .text = "Permission to run this tool was denied due to the following rules: `shell(rm)`"};
    result.fields.call_id = "t1";
    result.fields.is_error = true;
    result.facts.set_text("source", "copilot");
    stage.commit(result);
    result.fields.call_id = "t2";
    result.fields.is_error = false;  // A command printed it.
    stage.commit(result);
    CHECK(stage.totals().refused == 1);
    CHECK(stage.totals().failed == 0);
  }

  TEST_CASE("an exit code other than 0 is a failure, as a fact or in the agent's own words") {
    TraceStage stage;
    stage.user("Go.");
    stage.answer("", {{"t1", "bash", "{}"}, {"t2", "exec_command", "{}"}});
    compile::Turn fact{.type = store::Type::tool, .text = "no"};
    fact.fields.call_id = "t1";
    fact.facts.set_integer("exit_code", 65);
    stage.commit(fact);
    compile::Turn words{.type = store::Type::tool};
    words.text = "Wall time: 1 seconds\nProcess exited with code 101\nOutput:\nno";
    words.fields.call_id = "t2";
    words.facts.set_text("source", "codex");
    stage.commit(words);
    const auto calls = stage.all<Call>();
    CHECK(calls[0].exit_code == 65);
    CHECK(calls[1].exit_code == 101);
    CHECK_FALSE(calls[1].is_error);
    CHECK(stage.totals().failed == 2);
  }

  TEST_CASE("counts of the beginning of a stream are partial, and so is every sum with them") {
    TraceStage stage;
    stage.user("Go.");
    compile::Turn turn{.type = store::Type::assistant, .text = "Hello."};
    turn.facts.set_text("source", "claude-code");
    turn.facts.set_json("usage", R"({"input_tokens":10,"output_tokens":1})");
    stage.commit(turn);
    CHECK(stage.all<Message>()[0].spent.trust == Trust::partial);
    CHECK(stage.totals().tokens.trust == Trust::partial);
    stage.user("Go on.");
    turn.facts.set_text("finish_reason", "end_turn");
    stage.commit(turn);
    CHECK(stage.all<Message>()[1].spent.trust == Trust::reported);
    CHECK(stage.totals().tokens.trust == Trust::partial);
  }

  TEST_CASE("steps that are derived in pieces are the steps that are derived at once") {
    TraceStage stage;
    std::vector<store::Oid> heads = {stage.user("Go.")};
    heads.push_back(stage.answer("One.", {{"t1", "Read", "{}"}}, "m1"));
    heads.push_back(stage.result("t1"));
    heads.push_back(stage.answer("Two.", {{"t2", "Read", "{}"}}, "m1"));
    heads.push_back(stage.result("t2"));
    heads.push_back(stage.answer("Three.", {}, "m2"));
    std::vector<store::Oid> pieces;
    trace::Deriver deriver(*stage.repository);
    const auto keep = [&](const trace::Step& step) -> spoor::Result<void> {
      pieces.push_back(step.at.oid);
      return {};
    };
    for (const store::Oid& head : heads) deriver.advance(head, {}, keep).value();
    deriver.finish(keep).value();
    std::vector<store::Oid> whole;
    for (const trace::Step& step : stage.steps()) whole.push_back(step.at.oid);
    CHECK(pieces == whole);
    CHECK(deriver.advance(heads[1], {}, keep).error().code == spoor::Error::Code::invalid);
  }

  TEST_CASE("what two lines share is counted once") {
    TraceStage stage;
    stage.user("Go.");
    stage.answer("", {{"t1", "Read", "{}"}}, "m1", R"({"input_tokens":10,"output_tokens":1})");
    const store::Oid fork = stage.result("t1");
    stage.answer("One.", {}, "m2", R"({"input_tokens":20,"output_tokens":2})");
    const store::Oid one = stage.branch.tip().value().value();
    stage.repository->create_branch("other", fork).value();
    graph::Branch other = stage.repository->branch("other");
    compile::Turn turn{.type = store::Type::assistant, .text = "Two."};
    turn.facts.set_json("usage", R"({"input_tokens":30,"output_tokens":3})");
    const store::Oid two = other.commit(turn).value();
    const trace::Totals totals = trace::totals_of(*stage.repository, {one, two}, nullptr).value();
    CHECK(totals.calls == 1);
    CHECK(totals.unanswered == 0);
    CHECK(totals.answers == 3);
    CHECK(totals.tokens.input == 60);
  }
}
