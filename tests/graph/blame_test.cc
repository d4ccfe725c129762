#include "graph/blame.h"

#include <doctest/doctest.h>

#include "graph/call_text.h"

using namespace spoor;
using graph::Occurrence;
using store::Oid;
using store::Priority;

namespace {

struct Conversation {
  std::unique_ptr<graph::Repository> repository = graph::Repository::in_memory();
  graph::Branch main = repository->branch("main");

  std::vector<Occurrence> why(std::string_view phrase,
                              const compile::CompileOptions& options = {}) {
    const compile::Prompt prompt = main.compile(options).value();
    return graph::why(*repository, prompt, phrase).value();
  }

  graph::Origin origin(const Oid& commit) {
    const Oid tip = main.tip().value().value();
    const auto state = repository->folder().at(tip).value();
    return graph::origin_of(repository->reader(), *state, tip, commit).value();
  }

  Oid compress(const Oid& from, const Oid& to, const std::string& text) {
    Oid made;
    REQUIRE(repository->transact(
        "compress", graph::OnConflict::fail, [&](graph::Draft& draft) -> spoor::Result<void> {
          const compile::Turn turn{.type = store::Type::summary, .text = text};
          graph::CompressRange range;
          range.from = from;
          range.to = to;
          made = TRY(draft.compress(main.ref(), range, turn, {})).commit;
          return {};
        }));
    return made;
  }
};

}  // namespace

TEST_SUITE("graph/blame") {
  TEST_CASE("a turn that nobody touched brought its words itself") {
    Conversation c;
    c.main.user("one fish").value();
    const Oid two = c.main.assistant("two fish").value();
    const auto found = c.why("two");
    REQUIRE(found.size() == 1);
    CHECK(found[0].brought_by == two);
    CHECK(found[0].message == 1);
    CHECK(c.why("fish").size() == 2);
    CHECK(c.why("three").empty());
  }

  TEST_CASE("an edit brings what is new in it and keeps what was there") {
    Conversation c;
    const Oid turn = c.main.user("red fish").value();
    const Oid blue = c.main.edit(turn, "blue fish").value();
    const Oid more = c.main.edit(turn, "blue fish, indeed").value();
    auto found = c.why("blue");
    REQUIRE(found.size() == 1);
    CHECK(found[0].brought_by == blue);
    CHECK(found[0].kept_by == std::vector<Oid>{more});
    found = c.why("fish");
    CHECK(found[0].brought_by == turn);
    CHECK(found[0].kept_by == std::vector<Oid>{blue, more});
    CHECK(c.why("red").empty());
    CHECK(c.origin(turn).said_by == more);
    CHECK(c.origin(turn).edits == std::vector<Oid>{blue, more});
  }

  TEST_CASE("words that went and came back were brought by the edit that brought them back") {
    Conversation c;
    const Oid turn = c.main.user("fish").value();
    c.main.edit(turn, "fowl").value();
    const Oid again = c.main.edit(turn, "fish again").value();
    CHECK(c.why("fish").at(0).brought_by == again);
  }

  TEST_CASE("a summary names the turns below it that say the phrase") {
    Conversation c;
    const Oid a = c.main.user("the code is 4711").value();
    const Oid b = c.main.assistant("noted").value();
    const Oid first = c.compress(a, b, "a code was given: 4711");
    const Oid third = c.main.user("and now").value();
    const Oid outer = c.compress(first, third, "code 4711, then more of it");
    auto found = c.why("4711");
    REQUIRE(found.size() == 1);
    CHECK(found[0].brought_by == outer);
    CHECK(found[0].sources == std::vector<Oid>{a});
    CHECK(c.why("more of it").at(0).sources.empty());
    CHECK(c.origin(outer).sources == std::vector<Oid>{first, third});
  }

  TEST_CASE("reasoning is in the prompt since it was pinned") {
    Conversation c;
    const Oid thought = c.main.reasoning("a hunch").value();
    CHECK(c.why("hunch").empty());
    CHECK_FALSE(c.why("hunch", {.include_reasoning = true}).at(0).shown_by);
    const Oid pin = c.main.annotate(thought, Priority::pinned).value();
    CHECK(c.why("hunch").at(0).shown_by == pin);
  }

  TEST_CASE("a turn skipped and taken back is there by the annotation that took it back") {
    Conversation c;
    const Oid turn = c.main.user("fish").value();
    c.main.annotate(turn, Priority::skip).value();
    const Oid back = c.main.annotate(turn, Priority::normal).value();
    c.main.annotate(turn, Priority::pinned).value();
    CHECK(c.why("fish").at(0).shown_by == back);
  }

  TEST_CASE("what a tool was called with is said, too") {
    Conversation c;
    const Oid call = c.main.assistant("", {{"c1", "grep", R"({"pattern":"fish"})"}}).value();
    CHECK(c.why("fish").at(0).brought_by == call);
    CHECK(c.why("grep").at(0).brought_by == call);
  }

  TEST_CASE("the texts in a call's arguments are said as they were meant, and as written") {
    Conversation c;
    const std::string arguments =
        R"({"path":"a.py","edits":[{"new":"def f():\n\treturn \"caf\u00e9\""}]})";
    const Oid call = c.main.assistant("", {{"c1", "edit", arguments}}).value();
    for (const char* phrase : {"():\n\tret", "return \"caf", "café", "caf\\u00e9", "\"a.py\""}) {
      CAPTURE(phrase);
      const auto found = c.why(phrase);
      REQUIRE(found.size() == 1);
      CHECK(found[0].brought_by == call);
    }
    CHECK(c.why("a.pydef").empty());
    CHECK(c.why("return \ncaf").empty());

    const compile::ToolCall read{"c1", "edit", arguments};
    using Texts = std::vector<graph::CallText>;
    const auto texts_with = [](const compile::ToolCall& said, std::string_view phrase) {
      return graph::texts_that(said, [phrase](std::string_view text) {
        return text.find(phrase) != std::string_view::npos;
      });
    };
    CHECK(texts_with(read, "café") == Texts{{"edits.0.new", "def f():\n\treturn \"café\""}});
    CHECK(texts_with(read, "a.py") == Texts{{"path", "a.py"}});
    CHECK(texts_with(read, "\"path\"") == Texts{{"", arguments}});
    CHECK(texts_with(read, "nowhere").empty());
    const compile::ToolCall torn{"c2", "edit", R"({"new":"half)"};
    CHECK(texts_with(torn, "half") == Texts{{"", torn.arguments}});
  }
}
