#include "graph/revision.h"

#include <doctest/doctest.h>

#include "graph/repository.h"

using namespace spoor;
using store::Oid;
using Code = spoor::Error::Code;

namespace {

struct Conversation {
  std::unique_ptr<graph::Repository> repository = graph::Repository::in_memory();
  graph::Branch main = repository->branch("main");
  Oid question = main.user("which port?").value();
  Oid hunch = main.reasoning("perhaps 8080").value();
  Oid doubt = main.reasoning("or 80").value();
  Oid answer = main.assistant("it is 8080").value();

  spoor::Result<Oid> resolve(std::string_view text) {
    return repository->resolve(text, main.tip().value(), "refs/heads/main");
  }
};

}  // namespace

TEST_SUITE("graph/revision") {
  TEST_CASE("a text, a type and a word name the newest turn that has it") {
    Conversation c;
    CHECK(c.resolve(":/8080").value() == c.answer);
    CHECK(c.resolve(":/which port").value() == c.question);
    CHECK(c.resolve("type:reasoning").value() == c.doubt);
    CHECK(c.resolve("type:user").value() == c.question);
    CHECK(c.resolve("main~1^{/8080}").value() == c.hunch);
    compile::Turn turn{.text = "remember this"};
    turn.extra.tags = {"todo"};
    const Oid tagged = c.main.commit(turn).value();
    c.main.assistant("yes").value();
    CHECK(c.resolve("tag:todo").value() == tagged);
    REQUIRE(c.repository->create_tag("todo", c.question));
    CHECK(c.resolve("tag:todo").value() == c.question);  // A tag's own name comes first.
  }

  TEST_CASE("HEAD's history comes before other branches") {
    Conversation c;
    REQUIRE(c.repository->create_branch("side", c.question));
    const Oid other = c.repository->branch("side").assistant("80 it is, and 8080, too").value();
    CHECK(c.resolve(":/8080").value() == c.answer);
    CHECK(c.resolve(":/80 it is").value() == other);
  }

  TEST_CASE("answers lead to reasoning and back") {
    Conversation c;
    CHECK(c.resolve("main^{reasoning}").value() == c.doubt);
    CHECK(c.resolve("main^{reasoning}~1").value() == c.hunch);
    CHECK(c.resolve("main~1^{answer}").value() == c.answer);
    CHECK(c.resolve("main~2^{answer}").value() == c.answer);
    CHECK(c.resolve("main^{answer}").value() == c.answer);
    CHECK(c.resolve("main~2^{reasoning}").value() == c.hunch);
  }

  TEST_CASE("a result leads to the answer that asks for its call, and to its reasoning") {
    Conversation c;
    const Oid thought = c.main.reasoning("look at both").value();
    const Oid asking = c.main.assistant("", {{"c1", "Read", "{}"}, {"c2", "Grep", "{}"}}).value();
    const Oid second = c.main.tool("b", "c2", "Grep").value();
    const Oid first = c.main.tool("a", "c1", "Read").value();
    const Oid stray = c.main.tool("a", "c3", "Read").value();
    for (const Oid& result : {first, second}) {
      CHECK(c.resolve(result.hex() + "^{answer}").value() == asking);
      CHECK(c.resolve(result.hex() + "^{reasoning}").value() == thought);
    }
    CHECK_FALSE(c.resolve(stray.hex() + "^{answer}"));
  }

  TEST_CASE("a thought that led to two answers is ambiguous where HEAD does not tell") {
    Conversation c;
    REQUIRE(c.repository->create_branch("side", c.doubt));
    const Oid other = c.repository->branch("side").assistant("it is 80").value();
    CHECK(c.resolve(c.doubt.hex() + "^{answer}").value() == c.answer);
    const auto found = c.repository->resolve(c.doubt.hex() + "^{answer}", c.question);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == Code::ambiguous);
    CHECK(found.error().hint.find(other.hex(12)) != std::string::npos);
  }

  TEST_CASE("what leads nowhere is refused, with a hint") {
    Conversation c;
    c.main.reasoning("an unanswered thought").value();
    const std::vector<std::pair<std::string, Code>> table = {
        {":/nowhere", Code::not_found},        {"main^{/nowhere}", Code::not_found},
        {"type:tool", Code::not_found},        {"type:nonsense", Code::invalid},
        {"tag:nosuch", Code::not_found},       {"main^{answer}", Code::not_found},
        {"main~4^{reasoning}", Code::invalid}, {"main~4^{answer}", Code::invalid},
        {"main^{nonsense}", Code::invalid},
    };
    for (const auto& [text, expected] : table) {
      const auto& shown = text;
      CAPTURE(shown);
      const auto found = c.resolve(text);
      REQUIRE_FALSE(found);
      CHECK(found.error().code == expected);
      CHECK(!found.error().hint.empty());
    }
  }

  TEST_CASE("the records of one provider message share its reasoning") {
    Conversation c;
    const auto say = [&](store::Type type, const std::string& text, const std::string& message) {
      compile::Turn turn{.type = type, .text = text};
      if (type == store::Type::reasoning) turn.fields.format = "anthropic";
      if (type == store::Type::assistant) turn.fields.tool_calls = {{text, "look", "{}"}};
      if (type == store::Type::tool) turn.fields.call_id = text;
      if (!message.empty()) turn.facts.set_text("message_id", message);
      return c.main.commit(turn).value();
    };
    say(store::Type::reasoning, "of an earlier message", "m0");
    const Oid thought = say(store::Type::reasoning, "look first", "m1");
    say(store::Type::assistant, "I will look", "m1");
    say(store::Type::tool, "I will look", "");
    say(store::Type::assistant, "and again", "m1");
    CHECK(c.resolve("main^{reasoning}").value() == thought);
    say(store::Type::tool, "and again", "");
    say(store::Type::assistant, "done", "m2");
    CHECK(c.resolve("main^{reasoning}").error().code == Code::not_found);
  }
}
