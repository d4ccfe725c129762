#include "llm/wire/think_tags.h"

#include <doctest/doctest.h>

using spoor::llm::wire::LoneEnd;
using spoor::llm::wire::split_think_tags;
using spoor::llm::wire::ThinkFilter;
using spoor::llm::wire::ThinkSplit;

namespace {

ThinkSplit found(std::string answer, std::vector<std::string> blocks) {
  return {std::move(answer), std::move(blocks), true};
}

ThinkSplit none(std::string answer) { return {std::move(answer), {}, false}; }

// What the filter tells, reasoning in brackets.
std::string filtered(std::string_view text, std::size_t size) {
  std::string told;
  const ThinkFilter::Sink sink{
      [&](std::string_view more) { told += more; },
      [&](std::string_view more) { told += "[" + std::string(more) + "]"; }};
  ThinkFilter filter;
  for (std::size_t at = 0; at < text.size(); at += size) filter.feed(text.substr(at, size), sink);
  filter.finish(sink);
  for (auto at = told.find("]["); at != std::string::npos; at = told.find("][")) told.erase(at, 2);
  return told;
}

std::string filtered(std::string_view text) {
  const std::string whole = filtered(text, text.size() + 1);
  for (std::size_t size = 1; size <= text.size(); ++size) CHECK(filtered(text, size) == whole);
  return whole;
}

}  // namespace

TEST_SUITE("llm/wire/think_tags") {
  TEST_CASE("blocks are taken out, in order, and all is trimmed") {
    CHECK(split_think_tags("<think>\nadd them\n</think>\n\nFour.\n") ==
          found("Four.", {"add them"}));
    CHECK(split_think_tags("a<think>1</think>b<think>2</think>c") == found("abc", {"1", "2"}));
  }

  TEST_CASE("a text without blocks is kept as it is") {
    CHECK(split_think_tags("  Four.\n") == none("  Four.\n"));
    CHECK(split_think_tags("<thinking>hm</thinking>") == none("<thinking>hm</thinking>"));
    CHECK(split_think_tags("<think").answer == "<think");
    CHECK(split_think_tags("") == none(""));
  }

  TEST_CASE("an empty block is no reasoning") {
    CHECK(split_think_tags("<think>\n\n</think>\n\nFour.") == found("Four.", {}));
  }

  TEST_CASE("a block without its end runs to the end of the text") {
    CHECK(split_think_tags("a <think> b") == found("a", {"b"}));
    CHECK(split_think_tags("<think>b</thin") == found("", {"b</thin"}));
  }

  TEST_CASE("tags in fenced code are text, and a fence ends with one as long") {
    for (const std::string_view text :
         {"```\n<think>a</think>\n```", "~~~~ xml\n~~~\n<think>a</think>\n~~~~\n",
          "- list:\n  ```xml\n  <think>\n  ```", "> ```\n> <think>\n> ```", "````\n```\n<think>"}) {
      CHECK(split_think_tags(text) == none(std::string(text)));
    }
    CHECK(split_think_tags("```\ncode\n```\n<think>a</think>b") ==
          found("```\ncode\n```\nb", {"a"}));
    CHECK(split_think_tags("``` not a fence ```\n<think>a</think>b") ==
          found("``` not a fence ```\nb", {"a"}));
  }

  TEST_CASE("tags in inline code are text, but a lone backtick opens none") {
    for (const std::string_view text :
         {"write `<think>` first", "`` ` <think> ``", "`two\nlines <think>`"}) {
      CHECK(split_think_tags(text) == none(std::string(text)));
    }
    CHECK(split_think_tags("5` <think>a</think>b") == found("5` b", {"a"}));
    CHECK(split_think_tags("5` x\n\n<think>a</think>b` c") == found("5` x\n\nb` c", {"a"}));
    CHECK(split_think_tags("``x` <think>a</think>b") == found("``x` b", {"a"}));
  }

  TEST_CASE("code within a block does not hide its end") {
    CHECK(split_think_tags("<think>`a\n```\nb</think>c") == found("c", {"`a\n```\nb"}));
    CHECK(split_think_tags("<think>a</think>```\n<think>\n```") ==
          found("```\n<think>\n```", {"a"}));
  }

  TEST_CASE("an end without a begin ends reasoning, unless that came by another way") {
    CHECK(split_think_tags("\nadd them\n</think>\n\nFour.") == found("Four.", {"add them"}));
    CHECK(split_think_tags("\n</think>\n\nFour.") == found("Four.", {}));
    CHECK(split_think_tags("a</think>b</think>c") == found("b</think>c", {"a"}));
    CHECK(split_think_tags("<think>a</think>b</think>c") == found("b</think>c", {"a"}));
    CHECK(split_think_tags("use `</think>`") == none("use `</think>`"));
    CHECK(split_think_tags("\n</think>\n\nb", LoneEnd::drop) == found("b", {}));
    CHECK(split_think_tags("use `</think>`", LoneEnd::drop) == none("use `</think>`"));
  }

  TEST_CASE("a text of backticks takes no longer than another") {
    std::string text;
    for (std::size_t run = 1; run < 1500; ++run) text += std::string(run, '`') + 'x';
    CHECK(split_think_tags(text) == none(text));
  }

  TEST_CASE("while it arrives, tags are never shown, however it is cut") {
    CHECK(filtered("<think>\n add\n</think>\n\nFour. <b>") == "[add\n]Four. <b>");
    CHECK(filtered("a <think>b</think> c <thi") == "a [b] c <thi");
    CHECK(filtered("a <think>b </thin") == "a [b </thin]");
    CHECK(filtered("`<think>` and\n```\n<think>\n```\n<think>x</think>y") ==
          "`<think>` and\n```\n<think>\n```\n[x]y");
    CHECK(filtered("it's 5` tall\n\n<think>x</think>y") == "it's 5` tall\n\n[x]y");
  }
}
