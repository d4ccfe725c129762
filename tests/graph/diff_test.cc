#include <doctest/doctest.h>

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
}
