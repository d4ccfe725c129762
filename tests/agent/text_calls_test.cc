#include "agent/reading/text_calls.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::agent::reading;

namespace {

// `fetch{"u":"a"}#2`, and `=why` where there is a rationale; with blanks between.
std::string calls(std::string_view reply, std::string_view thinking = {}) {
  std::string out;
  for (const TextCall& call : read_text_calls(reply, thinking).calls) {
    out += (out.empty() ? "" : " ") + call.name + call.arguments + "#" + std::to_string(call.tier);
    if (call.rationale) out += "=" + call.rationale->why;
  }
  return out;
}

}  // namespace

TEST_SUITE("agent/reading/text_calls") {
  TEST_CASE("tagged lines") {
    CHECK(calls("<tool_call>\r\ntool: write\r\npath: a: b\r\n</tool_call>\n"
                "<TOOL_CALL>tool:ls</TOOL_CALL>") == R"(write{"path":"a: b"}#1 ls{}#1)");
    CHECK(calls("<tool_call>\npath: a\n</tool_call>") == "");
    CHECK(calls("<tool_call>\ntool:\n</tool_call>") == "");
  }

  TEST_CASE("a line without a key goes on with the value above it") {
    CHECK(calls("<tool_call>\nlisten!\ntool: write\ntext: one\n  two\n\n- three\n\n</tool_call>") ==
          R"(write{"text":"one\n  two\n\n- three"}#1)");
  }

  TEST_CASE("a tagged call may say why itself") {
    CHECK(calls("<tool_call>\ntool: ls\nrationale: {\"why\":\"w\"}\n</tool_call>") == "ls{}#1=w");
    CHECK(calls("<tool_call>\ntool: ls\nrationale: to see\n</tool_call>") == "ls{}#1=to see");
  }

  TEST_CASE("tags that do not end hold no call") {
    CHECK(calls("<tool_call>\ntool: rm\n") == "");
    CHECK(calls("<tool_call>\ntool: rm\n<tool_call>\ntool: ls\n</tool_call>") == "ls{}#1");
    CHECK(calls("tool: rm\n</tool_call>") == "");
  }

  TEST_CASE("JSON in tags is JSON") {
    CHECK(calls("<tool_call>\n{\"name\":\"ls\",\"arguments\":{\"p\":1}}\n</tool_call>") ==
          R"(ls{"p":1}#2)");
  }

  TEST_CASE("arguments") {
    CHECK(calls(R"({"name":"a","args":{"b":1,"a":2}})") == R"(a{"a":2,"b":1}#2)");
    CHECK(calls(R"({"name":"a","arguments":"{\"b\":1}"})") == R"(a{"b":1}#2)");
    CHECK(calls(R"({"name":"a","arguments":null,"parameters":{"b":1}})") == R"(a{"b":1}#2)");
    CHECK(calls(R"({"name":"a","arguments":null})") == "a{}#2");
    CHECK(calls(R"({"name":"a","arguments":[1]})") == R"(a{"arguments":[1]}#2)");
    CHECK(calls(R"({"tool":"create","name":"report","n":1.50})") ==
          R"(create{"n":1.50,"name":"report"}#2)");
  }

  TEST_CASE("what names no tool is no call") {
    CHECK(calls(R"({"a":1} {"name":7} {"tool":" "} [] [1] "name")") == "");
  }

  TEST_CASE("the first list of calls is taken, also out of an object that is none") {
    CHECK(calls(R"([] [1] [{"a":1}] [[{"tool":"x"}]] [{"tool":"y"}])") == "x{}#3");
    CHECK(calls(R"({"tool_calls":[{"name":"x","arguments":{}},{"tool":"y"}]})") == "x{}#3 y{}#3");
    // A list among the arguments of a call is data.
    CHECK(calls(R"({"tool":"invite","people":[{"name":"ann"}]})") ==
          R"(invite{"people":[{"name":"ann"}]}#2)");
    CHECK(calls(R"([{"name":"x"},{"y":1}])") == "x{}#2");
  }

  TEST_CASE("a call that is cut off is none") {
    CHECK(calls(R"({"tool":"a"} {"tool":"rm","inner":{"tool":"b"})") == "a{}#2");
  }

  TEST_CASE("a call in inline code or in a quotation is none, one in a fence is") {
    const std::string call = R"({"tool":"a"})";
    const std::string tagged = "<tool_call>\ntool: a\n</tool_call>";
    for (const std::string& no :
         {"Write `" + call + "` now.", "Write ``" + call + "``.",
          "> " + call + "\n> [" + call + "]",
          std::string("Never write `<tool_call>tool: a</tool_call>`."), "text\n > " + call}) {
      CAPTURE(no);
      CHECK(calls(no) == "");
    }
    CHECK(calls("It's `x`:\n```json\n" + call + "\n```") == "a{}#2");
    CHECK(calls("A ` and " + call) == "a{}#2");
    CHECK(calls("`b` " + tagged + " `c`") == "a{}#1");
    CHECK(calls(R"({"tool":"a","x":"`"} {"tool":"b","x":"`"})") == R"(a{"x":"`"}#2 b{"x":"`"}#2)");
  }

  TEST_CASE("of a model with native calls, only a call of an offered tool outside of code counts") {
    const OfferedTools tools{.has = [](std::string_view id) { return id == "ls"; }};
    for (const char* yes : {R"({"name":"ls","arguments":{}})", "```json\n{\"tool\":\"ls\"}\n```",
                            "I look.\n{\"tool\":\"ls\"}", "<tool_call>\ntool: ls\n</tool_call>"}) {
      CAPTURE(yes);
      CHECK(has_text_call(yes, tools));
    }
    for (const char* no :
         {"", "done", R"({"name":"left-pad","version":"1.0.0"})", R"([{"name":"Ann","age":3}])",
          "Use `{\"name\": \"ls\"}`.", "Write this:\n```json\n{\"tool\":\"ls\"}\n```\nand so on.",
          "~~~\n{\"tool\":\"ls\"}\n~~~\nis a call"}) {
      CAPTURE(no);
      CHECK_FALSE(has_text_call(no, tools));
    }
  }

  TEST_CASE("thought calls nothing, but may explain") {
    const std::string why = R"(<rationale call="1">{"why":"w"}</rationale>)";
    CHECK(calls("<think>{\"tool\":\"a\"}" + why + "</think>{\"tool\":\"b\"}") == "b{}#2=w");
    CHECK(calls("{\"tool\":\"b\"}", why) == "b{}#2=w");
    CHECK(calls("<think>{\"tool\":\"a\"}") == "");
  }

  TEST_CASE("a block explains the call with its number, unless it names another tool") {
    const std::string two = R"({"tool":"a"} {"tool":"b"})";
    CHECK(calls(R"(<rationale call="2" tool="b">{"why":"w"}</rationale>)" + two) ==
          "a{}#2 b{}#2=w");
    CHECK(calls(R"(<rationale call="2" tool="c">{"why":"w"}</rationale>)" + two) == "a{}#2 b{}#2");
    CHECK(calls(R"(<rationale>{"why":"v"}</rationale><rationale>{"why":"w"}</rationale>)" + two) ==
          "a{}#2=v b{}#2=w");
    // What was moved to the second call was said of the first.
    CHECK(
        calls(
            R"(<rationale call=1>{"why":"v"}</rationale><rationale call=1>{"why":"w"}</rationale>)" +
            two) == "a{}#2=v b{}#2");
  }

  TEST_CASE("what a rationale loses is told with its call") {
    const auto call = read_text_calls(R"({"tool":"a","rationale":{"confidence":1}}
        <rationale call=1>{"why":"w","refs":1}</rationale>)")
                          .calls.at(0);
    CHECK(call.rationale->why == "w");
    CHECK(call.dropped == std::vector<std::string>{"why: missing", "refs: no list of texts"});
    CHECK(calls(R"({"tool":"a","rationale":"w"})") == "a{}#2=w");
  }

  TEST_CASE("a block in an argument is data") {
    const std::string call =
        R"({"tool":"write","text":"a\n\n\n\n<rationale call=1>{}</rationale></rationale>"})";
    const auto got = read_text_calls(call + "<rationale call=1>{\"why\":\"w\"}</rationale>");
    REQUIRE(got.calls.size() == 1);
    CHECK(got.calls[0].arguments ==
          R"({"text":"a\n\n\n\n<rationale call=1>{}</rationale></rationale>"})");
    CHECK(got.calls[0].rationale->why == "w");
    CHECK(got.blocks.rest == call);
  }

  TEST_CASE("each call has a name, an object of arguments and the tier of all others") {
    const std::array<std::string, 18> pieces = {"<tool_call>",
                                                "</tool_call>",
                                                "\n",
                                                "tool: ",
                                                "a",
                                                "{\"tool\":\"x\"",
                                                "}",
                                                "]",
                                                "[",
                                                ",",
                                                "{",
                                                "\"",
                                                ":",
                                                "{\"name\":\"y\",\"arguments\":{}}",
                                                "<rationale>{\"why\":\"w\"}</rationale>",
                                                "<think>",
                                                "</think>",
                                                "\"rationale\":{\"why\":\"v\"}"};
    std::mt19937 random(20261122);
    int found = 0;
    for (int round = 0; round < 20'000; ++round) {
      std::string text;
      for (std::size_t i = random() % 14; i > 0; --i) text += pieces[random() % pieces.size()];
      CAPTURE(text);
      const auto got = read_text_calls(text);
      for (const TextCall& call : got.calls) {
        ++found;
        REQUIRE_FALSE(call.name.empty());
        REQUIRE(call.tier == got.calls[0].tier);
        REQUIRE(call.arguments.starts_with('{'));
      }
    }
    CHECK(found > 1000);
  }

  TEST_CASE("texts made to be slow are read in linear time") {
    for (const std::string& piece :
         {std::string("{\"a\":"), std::string("[{\"tool\":\"a\"},"), std::string("<tool_call>"),
          std::string("<tool_call>tool:a\n"), std::string("["), std::string("{\"tool\":\"a\"}[1]"),
          std::string("</tool_call"), std::string("<tool_call>tool:a</tool_call>")}) {
      CAPTURE(piece);
      std::string text;
      while (text.size() < 5'000'000) text += piece;
      // A square would take hours, and ctest would end it.
      CHECK(read_text_calls(text).calls.size() < text.size());
    }
  }
}
