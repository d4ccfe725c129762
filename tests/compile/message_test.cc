#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "graph/reasoning.h"
#include "graph/repository.h"

using namespace spoor;
using store::Oid;
using store::Priority;
using store::Type;

namespace {

/// A branch whose turns are given by type, text and the id of the provider's message.
struct Talk {
  std::unique_ptr<graph::Repository> repository = graph::Repository::in_memory();
  graph::Branch main = repository->branch("main");

  Oid say(Type type, std::string text, const std::string& message = {}) {
    compile::Turn turn{.type = type, .text = std::move(text)};
    if (type == Type::reasoning) turn.fields.format = "parsed";
    if (!message.empty()) turn.facts.set_text("message_id", message);
    return main.commit(std::move(turn)).value();
  }
  Oid ask(std::string text) { return say(Type::user, std::move(text)); }
  Oid answer(std::string text, const std::string& message) {
    return say(Type::assistant, std::move(text), message);
  }
  Oid call(const std::string& text, const std::string& message, const std::string& id) {
    compile::Turn turn{.type = Type::assistant, .text = text};
    turn.fields.tool_calls = {{{id, "ls", "{}"}}};
    turn.facts.set_text("message_id", message);
    return main.commit(std::move(turn)).value();
  }
  Oid result(std::string text, const std::string& id) {
    compile::Turn turn{.type = Type::tool, .text = std::move(text)};
    turn.fields.call_id = id;
    return main.commit(std::move(turn)).value();
  }

  std::vector<std::string> shown(const compile::CompileOptions& options = {}) const {
    std::vector<std::string> texts;
    for (const auto& message : main.compile(options).value().messages) {
      texts.push_back(message.text());
    }
    return texts;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("compile/message") {
  TEST_CASE("equal answers with one message id stay in their own turns, but for version 1") {
    Talk talk;
    for (int turn = 1; turn <= 8; ++turn) {
      talk.ask("task " + std::to_string(turn));
      talk.answer(turn == 2 || turn == 7 ? "Done." : "Answer " + std::to_string(turn),
                  turn == 2 || turn == 7 ? "item_5e1f" : "item_" + std::to_string(turn));
    }
    CHECK(talk.shown() == Texts{"task 1", "Answer 1", "task 2", "Done.", "task 3", "Answer 3",
                                "task 4", "Answer 4", "task 5", "Answer 5", "task 6", "Answer 6",
                                "task 7", "Done.", "task 8", "Answer 8"});
    CHECK(talk.shown({.version = 1}) == Texts{"task 1", "Answer 1", "task 2", "Done.Done.",
                                              "task 3", "Answer 3", "task 4", "Answer 4", "task 5",
                                              "Answer 5", "task 6", "Answer 6", "task 7", "task 8",
                                              "Answer 8"});
  }

  TEST_CASE("records of one message are joined across the results of its own calls") {
    Talk talk;
    talk.ask("q");
    talk.answer("I look. ", "m1");
    talk.call("Here ", "m1", "a");
    talk.result("ra", "a");
    talk.call("and there.", "m1", "b");
    talk.result("rb", "b");
    CHECK(talk.shown() == Texts{"q", "I look. Here and there.", "ra", "rb"});
    CHECK(talk.shown() == talk.shown({.version = 1}));
  }

  TEST_CASE("the result of another call ends a message") {
    Talk talk;
    talk.ask("q");
    talk.call("one", "m1", "a");
    talk.result("rz", "z");
    talk.answer("two", "m1");
    CHECK(talk.shown() == Texts{"q", "one", "rz", "two"});
  }

  TEST_CASE("another answer ends a message, one without an id too") {
    for (const char* other : {"m2", ""}) {
      Talk talk;
      talk.answer("one", "m1");
      talk.answer("other", other);
      talk.answer("two", "m1");
      CHECK(talk.shown() == Texts{"one", "other", "two"});
    }
  }

  TEST_CASE("a system turn ends a message") {
    Talk talk;
    talk.answer("one", "m1");
    talk.say(Type::system, "be brief");
    talk.answer("two", "m1");
    CHECK(talk.shown() == Texts{"one", "be brief", "two"});
  }

  TEST_CASE("a note and a setting end no message") {
    Talk talk;
    talk.answer("one ", "m1");
    talk.say(Type::note, "seen");
    talk.answer("two", "m1");
    CHECK(talk.shown() == Texts{"one two"});
  }

  TEST_CASE("what is skipped or compressed parts messages all the same") {
    Talk talk;
    talk.answer("one", "m1");
    const Oid asked = talk.ask("q");
    talk.answer("two", "m1");
    const Oid other = talk.answer("other", "m2");
    talk.answer("three", "m1");
    talk.main.annotate(asked, Priority::skip).value();
    talk.main.annotate(other, Priority::skip).value();
    CHECK(talk.shown() == Texts{"one", "two", "three"});

    // The summary stands before the pinned answers between which its sources were.
    Talk folded;
    const Oid first = folded.ask("q1");
    const Oid one = folded.answer("one", "m1");
    const Oid second = folded.ask("q2");
    const Oid two = folded.answer("two", "m1");
    folded.main.annotate(one, Priority::pinned).value();
    folded.main.annotate(two, Priority::pinned).value();
    graph::CompressRange range;
    range.from = first;
    range.to = second;
    const compile::Turn summary{.type = Type::summary, .text = "asked twice"};
    folded.main
        .write("test",
               [&](graph::Draft& draft, const std::string& ref) -> spoor::Result<Oid> {
                 return TRY(draft.compress(ref, range, summary, {})).commit;
               })
        .value();
    CHECK(folded.shown() == Texts{"asked twice", "one", "two"});
    CHECK(folded.shown({.version = 1}) == Texts{"asked twice", "onetwo"});
  }

  TEST_CASE("reasoning that is lifted does not change which records are joined") {
    Talk talk;
    talk.answer("one ", "m1");
    talk.say(Type::reasoning, "hm ", "m1");
    talk.answer("two", "m1");
    talk.say(Type::reasoning, "aha", "m2");
    talk.answer("three", "m1");
    CHECK(talk.shown() == Texts{"one two", "three"});
    CHECK(talk.shown({.include_reasoning = true}) == Texts{"one hm two", "aha", "three"});
  }

  TEST_CASE("reasoning of a message is found past results of its own calls, and no others") {
    Talk talk;
    const Oid first = talk.say(Type::reasoning, "hm", "m1");
    talk.call("one", "m1", "a");
    talk.result("ra", "a");
    const Oid second = talk.say(Type::reasoning, "aha", "m1");
    const auto thoughts_of = [&](const Oid& answer) {
      return graph::reasoning_of(talk.repository->reader(), answer).value();
    };
    CHECK(thoughts_of(talk.answer("two", "m1")) == std::vector{first, second});
    talk.result("rz", "z");
    CHECK(thoughts_of(talk.answer("three", "m1")).empty());
  }

  TEST_CASE("one prompt has one key under all versions, another prompt has another") {
    Talk talk;
    talk.ask("q");
    talk.answer("one ", "m1");
    talk.answer("two", "m1");
    const auto key = [&](std::uint32_t version) {
      const auto state = talk.repository->folder().at(talk.main.tip().value().value()).value();
      return compile::prompt_key(*state, version);
    };
    CHECK(key(1) == key(2));
    talk.ask("q");
    talk.answer("three", "m1");
    CHECK(key(1) != key(2));
    CHECK(key(1) == talk.main.compile({.version = 1}).value().hash);
    CHECK(key(compile::kNewestVersion) == talk.main.compile().value().hash);
  }

  TEST_CASE("an unknown version is unavailable, with a hint") {
    Talk talk;
    for (const std::uint32_t version : {0U, compile::kNewestVersion + 1}) {
      const auto failed = talk.main.compile({.version = version});
      REQUIRE_FALSE(failed);
      CHECK(failed.error().code == spoor::Error::Code::unavailable);
      CHECK_FALSE(failed.error().hint.empty());
    }
  }

  TEST_CASE("the options of a bundle name a version, and version 1 by saying nothing") {
    CHECK(compile::read_version("").value() == 1);
    CHECK(compile::read_version(R"({"provider":"p"})").value() == 1);
    CHECK(compile::read_version(R"({"provider":"p","version":2})").value() == 2);
    const auto code = [](const char* options) {
      return compile::read_version(options).error().code;
    };
    CHECK(code(R"({"version":3})") == spoor::Error::Code::unavailable);
    CHECK(code(R"({"version":0})") == spoor::Error::Code::unavailable);
    CHECK(code(R"({"version":"2"})") == spoor::Error::Code::corrupt);
    CHECK(code("[]") == spoor::Error::Code::corrupt);
  }
}
