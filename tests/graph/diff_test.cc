#include <doctest/doctest.h>

#include "graph/repository.h"
#include "graph/rewrite.h"

#include "graph/diff.h"

using namespace spoor;
using namespace spoor::compile;
using namespace spoor::graph;
using Kind = MessageChange::Kind;

namespace {

// A message for each letter; a capital is the same commit with another text.
Prompt prompt_of(std::string_view letters) {
  Prompt prompt;
  for (const char letter : letters) {
    Part part;
    part.commit.bytes[0] = static_cast<std::uint8_t>(letter | 0x20);
    part.content.bytes[0] = static_cast<std::uint8_t>(letter);
    part.text = std::make_shared<const std::string>(1, letter);
    prompt.messages.push_back({"user", {part}});
    prompt.tokens += 10;
  }
  return prompt;
}

// "+x" added, "-x" removed, "!X" changed, "x" as it was.
std::string shown(std::string_view before, std::string_view after) {
  const Prompt one = prompt_of(before);
  const Prompt two = prompt_of(after);
  std::string text;
  for (const MessageChange& change : diff(one, two).messages) {
    if (change.kind == Kind::added) text += '+';
    if (change.kind == Kind::removed) text += '-';
    if (change.kind == Kind::changed) text += '!';
    text += (change.after != nullptr ? change.after : change.before)->text();
  }
  return text;
}

}  // namespace

TEST_SUITE("graph/diff") {
  TEST_CASE("each message is told once, a removed one where it stood") {
    struct Row {
      std::string_view before;
      std::string_view after;
      std::string_view expected;
    };
    for (const Row& row : {
             Row{"", "", ""},
             Row{"abc", "abc", "abc"},
             Row{"", "ab", "+a+b"},
             Row{"ab", "", "-a-b"},
             Row{"abc", "ac", "a-bc"},
             Row{"abc", "axbc", "a+xbc"},
             Row{"abc", "aBc", "a!Bc"},
             Row{"abc", "abx", "ab+x-c"},
             // In another order: what went stays before what followed it.
             Row{"abrc", "cab", "-rcab"},
             Row{"abrcd", "cab", "-rcab-d"},
             Row{"rab", "ba", "b-ra"},
             Row{"abcd", "dcba", "dcba"},
             Row{"arbsc", "cxba", "-sc+x-rba"},
         }) {
      CAPTURE(row.before);
      CAPTURE(row.after);
      CHECK(shown(row.before, row.after) == row.expected);
    }
  }

  TEST_CASE("what changed is counted") {
    const Prompt before = prompt_of("abcd");
    const Prompt after = prompt_of("aBx");
    const PromptDiff found = diff(before, after);
    CHECK(found.added == 1);
    CHECK(found.removed == 2);
    CHECK(found.changed == 1);
    CHECK(found.unchanged == 1);
    CHECK(found.token_delta == -10);
    CHECK_FALSE(found.empty());
    CHECK(diff(before, before).empty());
  }

  TEST_CASE("settings that differ are told with both values") {
    Prompt before;
    Prompt after;
    before.config = {{"gone", "1"}, {"kept", "2"}, {"moved", "3"}};
    after.config = {{"kept", "2"}, {"moved", "4"}, {"new", "5"}};
    const PromptDiff found = diff(before, after);
    CHECK(found.config == std::map<std::string, std::pair<std::string, std::string>>{
                              {"gone", {"1", ""}}, {"moved", {"3", "4"}}, {"new", {"", "5"}}});
    CHECK_FALSE(found.empty());
  }

  TEST_CASE("a copy matches the message that it was copied from") {
    const auto repository = Repository::in_memory();
    Branch main = repository->branch("main");
    REQUIRE(main.user("fix it"));
    REQUIRE(main.assistant("running", {{"c1", "run", "{}"}}));
    REQUIRE(main.tool("ok", "c1", "run"));
    const Oid before = main.user("and the tests").value();
    // As a fork with another system text does: everything is copied onto a new first turn.
    REQUIRE(repository->transact("fork", OnConflict::fail, [](Draft& draft) -> Result<void> {
      return draft.move("refs/heads/fork", TRY(draft.tip_of("refs/heads/main")));
    }));
    REQUIRE(repository->transact("fork", OnConflict::fail, [&](Draft& draft) -> Result<void> {
      const Turn turn{.type = Type::system, .text = "be brief"};
      TRY(rebase(draft, repository->reader(), "refs/heads/fork",
                 TRY(draft.append_to(std::nullopt, turn))));
      return {};
    }));
    Branch fork = repository->branch("fork");
    REQUIRE(fork.user("one more"));
    const auto compared = fork.diff(before).value();
    CHECK(compared->diff.added == 2);
    CHECK(compared->diff.removed == 0);
    CHECK(compared->diff.changed == 0);
    CHECK(compared->diff.unchanged == 4);
    CHECK(compared->diff.messages.front().after->text() == "be brief");

    const Oid copy = compared->diff.messages[1].after->hash();
    REQUIRE(fork.edit(copy, "fix it well"));
    CHECK(fork.diff(before).value()->diff.changed == 1);
    // Without the reader nothing is known of copies.
    CHECK(diff(compared->before, compared->after).unchanged == 0);
  }
}
