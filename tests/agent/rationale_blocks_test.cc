#include "agent/reading/rationale_blocks.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <random>
#include <string>

#include "agent/reading/block_tags.h"
#include "tests/support/sanitized.h"

using namespace spoor;
using namespace spoor::agent;
using namespace spoor::agent::reading;

namespace {

using Words = std::vector<std::string>;

std::string block(const std::string& attributes, const std::string& why) {
  return "<rationale" + attributes + ">{\"why\":\"" + why + "\"}</rationale>";
}

// "1:a 2:b", by number.
std::string reasons(const RationaleBlocks& blocks) {
  std::string out;
  for (const auto& [number, entry] : blocks.blocks) {
    out += (out.empty() ? "" : " ") + std::to_string(number) + ":" + entry.rationale.why;
  }
  return out;
}

std::string reasons(std::string_view text, std::string_view thinking = {}) {
  return reasons(read_rationale_blocks(text, thinking));
}

std::string stripped(std::string_view text) { return read_rationale_blocks(text).stripped; }

}  // namespace

TEST_SUITE("agent/reading/block_tags") {
  TEST_CASE("a tag is found in any case, and only by its whole name") {
    const std::string text = "< rationale> <rationales> <rationale-x> </rat <RATIONALE\n a>";
    const auto tag = find_tag(text, "rationale", 0).value();
    CHECK(tag.begin == text.find("<RATIONALE"));
    CHECK(tag.end == text.size());
    CHECK(tag.attributes == "\n a");
    CHECK_FALSE(tag.is_closing);
    CHECK_FALSE(find_tag(text, "rationale", tag.begin + 1));
    CHECK(find_tag("</Rationale \n>", "rationale", 0)->end == 14);
    CHECK(find_tag("</rationale", "rationale", 0)->is_closing);
    CHECK(find_tag("<rationale call=", "rationale", 0)->is_cut);
    CHECK(find_tag("<rationale <rationale>", "rationale", 0)->begin == 11);
  }

  TEST_CASE("attributes") {
    const auto call = [](std::string_view attributes) {
      return attribute(find_tag("<t" + std::string(attributes) + ">", "t", 0).value(), "call");
    };
    for (const char* text : {" call=2", " call = '2'", " CALL=\" 2 \"", " x call=2", " x=1 call=2",
                             " id='call=1' call=2", " call=2/", " call=2 call=3", " call=\"2",
                             " data-call=1 =\tcall=2"}) {
      CAPTURE(text);
      CHECK(call(text) == "2");
    }
    CHECK(call(" call") == "");
    CHECK(call(" call=") == "");
    CHECK(call(" call=\"\"") == "");
    CHECK_FALSE(call(" recall=1"));
    CHECK_FALSE(call(""));
  }
}

TEST_SUITE("agent/reading/rationale_blocks") {
  TEST_CASE("a block says which tool it speaks of, in one of two attributes") {
    const auto tool = [](const std::string& attributes) {
      return read_rationale_blocks(block(attributes, "w")).blocks.at(1).tool;
    };
    CHECK(tool(" call=1 tool='read_file'") == "read_file");
    CHECK(tool(" name=grep") == "grep");
    CHECK(tool(" name=x tool=y") == "y");
    CHECK(tool("").empty());
  }

  TEST_CASE("each number says where it comes from") {
    const auto got = read_rationale_blocks(
        block(" call=2", "a") + block("", "b") + block(" call=2", "c") + block("", "d"),
        block(" call=1", "draft"));
    CHECK(reasons(got) == "1:draft 2:a 3:b 4:c 5:d");
    CHECK(got.blocks.at(2).numbering == Numbering::claimed);
    CHECK(got.blocks.at(3).numbering == Numbering::moved);
    CHECK(got.blocks.at(4).numbering == Numbering::moved);
    CHECK(got.blocks.at(5).numbering == Numbering::moved);
    CHECK(got.blocks.at(1).is_from_thinking);
    CHECK(read_rationale_blocks(block("", "b")).blocks.at(1).numbering == Numbering::position);
  }

  TEST_CASE("a claim that no call can have is told, once for each block") {
    for (const char* call : {"0", "-1", "1.5", "two", "", "9999999999999999999", "1 2", "+1"}) {
      CAPTURE(call);
      const auto got = read_rationale_blocks(block(" call='" + std::string(call) + "'", "w"));
      CHECK(got.blocks.empty());
      CHECK(got.unmatched == Words{call});
    }
    CHECK(reasons(block(" call=007", "w")) == "7:w");
  }

  TEST_CASE("a claim of a block without a rationale is none") {
    const auto got = read_rationale_blocks("<rationale call=1>nope</rationale>" +
                                           block(" call=1", "w") + "<rationale call=x/>");
    CHECK(reasons(got) == "1:w");
    CHECK(got.repeated.empty());
    CHECK(got.unmatched.empty());
    CHECK(got.plain == std::vector<PlainBlock>{{1, "", "nope"}});
    CHECK(got.unread == Words{"block 3: no JSON object with a text 'why'"});
  }

  TEST_CASE("what is lost of a rationale is told with its number") {
    const auto got = read_rationale_blocks(
        "<rationale call=4>{\"why\":\"w\",\"confidence\":7}</rationale>"
        "<rationale>{\"why\":\" \"}</rationale>");
    CHECK(got.blocks.at(4).dropped == Words{"confidence: no number from 0 to 1"});
    CHECK(got.unread == Words{"block 2: why: blank"});
  }

  TEST_CASE("the body is JSON as a whole, or the first object in it that says why") {
    const auto why = [](const std::string& body) {
      return reasons("<rationale>" + body + "</rationale>");
    };
    CHECK(why("```json\n{\"why\":\"w\"}\n```") == "1:w");
    CHECK(why("``` {\"why\":\"w\"} ```") == "1:w");
    CHECK(why("{\"a\":1} {\"why\":7} {\"why\":\"w\"} {\"why\":\"x\"}") == "1:w");
    CHECK(why("</rationales> {\"why\":\"w\"}") == "1:w");
    CHECK(why("a <rationale> {\"why\":\"w\"}") == "1:w");
    CHECK(why("[{\"why\":\"w\"}]") == "");
    CHECK(why("```\n[{\"why\":\"w\"}]\n```") == "");
    CHECK(why("{\"a\":{\"why\":\"w\"}}") == "");
    // A text that is not closed ends with the block, not with the reply.
    const auto cut = read_rationale_blocks("<rationale>{\"why\":\"w</rationale> and on");
    CHECK(cut.blocks.empty());
    CHECK(cut.stripped == "and on");
  }

  TEST_CASE("an attribute ends with its tag, whatever its quotes say") {
    CHECK(reasons(block(" call=\"3", "w")) == "3:w");
    CHECK(reasons(block(" note='a > b' call=3", "w")) == "1:w");
  }

  TEST_CASE("what is no tag stays") {
    CHECK(stripped("put <rationales> or <rationale <b>") == "put <rationales> or <rationale <b>");
    CHECK(stripped("it breaks off in <rationale call=") == "it breaks off in");
    CHECK(stripped("a </RATIONALE> b") == "a  b");
  }

  TEST_CASE("line ends of a gap become two, and the ends are trimmed") {
    CHECK(stripped(" \n a\r\n\r\n\r\nb\n\n\n\n\nc\n \n\nd \n") == "a\r\n\r\nb\n\nc\n \n\nd");
  }

  TEST_CASE("taking blocks out makes no new ones") {
    const std::string inner = block("", "w");
    CHECK(stripped("<ratio" + inner + "nale>{\"why\":\"x\"}</ra</rationale>tionale>") ==
          "< rationale>{\"why\":\"x\"}< /rationale>");
    CHECK(stripped("<rationale call" + inner + "='2'>") == "< rationale call='2'>");
  }

  TEST_CASE("what is stripped has nothing to strip, and numbers are from 1 on") {
    const std::array<std::string, 22> pieces = {"<rationale",
                                                " call=",
                                                "1",
                                                "2",
                                                "0",
                                                ">",
                                                "</rationale>",
                                                "{\"why\":\"w\"}",
                                                "</ra",
                                                "tionale",
                                                "<",
                                                "/",
                                                "{",
                                                "}",
                                                "\"",
                                                "\n\n",
                                                " ",
                                                "<ratio",
                                                "nale",
                                                "'",
                                                "a\n",
                                                "</rationale"};
    std::mt19937 random(20261122);
    for (int round = 0; round < 20'000; ++round) {
      std::string text;
      const std::size_t length = random() % 30;
      while (text.size() < length * 4) text += pieces[random() % pieces.size()];
      CAPTURE(text);
      const auto got = read_rationale_blocks(text);
      REQUIRE_FALSE(find_tag(got.stripped, "rationale", 0));
      REQUIRE(read_rationale_blocks(got.stripped).stripped == got.stripped);
      for (const auto& [number, entry] : got.blocks) REQUIRE(number >= 1);
      for (const std::int64_t number : got.repeated) REQUIRE(got.blocks.contains(number));
    }
  }

  TEST_CASE("texts made to be slow are read in linear time") {
    const auto seconds = [](const std::string& piece, std::size_t size) {
      std::string text;
      while (text.size() < size) text += piece;
      const auto begin = std::chrono::steady_clock::now();
      const auto got = read_rationale_blocks(text);
      CHECK(got.stripped.size() <= 2 * size);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    for (const std::string& piece :
         {std::string("<rationale "), std::string("<rationale>"), std::string("<rationale a='<"),
          std::string("<rationale>{\"a\":"), std::string("{\"a\":"), std::string("</rationale"),
          std::string("<"), std::string("<rationale>{</rationale>"), block(" call=1", "w"),
          "<rationale>{" + block("", "w"), std::string("\"<rationale>{\"")}) {
      CAPTURE(piece);
      const double took = seconds(piece, 5'000'000);
      if (!spoor::testing::kIsSanitized) CHECK(took < 10);  // A square would take hours.
    }
  }
}
