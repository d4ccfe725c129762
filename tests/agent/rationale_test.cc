#include "agent/rationale.h"

#include <doctest/doctest.h>

#include <string>

#include "base/json/reader.h"

using namespace spoor;
using namespace spoor::agent;
using spoor::Error;
using spoor::json::Document;

namespace {

using Words = std::vector<std::string>;

spoor::Result<Rationale> strict(std::string_view json) {
  const Document document = spoor::json::parse(json).value();
  return parse_rationale(document.root());
}

CleanRationale lenient(std::string_view json) {
  const Document document = spoor::json::parse(json).value();
  return clean_rationale(document.root());
}

// What is left of it, as JSON; empty: nothing.
std::string left_of(std::string_view json) {
  const CleanRationale clean = lenient(json);
  return clean.rationale ? write_rationale(*clean.rationale) : "";
}

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_SUITE("agent/rationale") {
  TEST_CASE("a whole rationale is read, and written as it was") {
    const std::string json =
        R"({"alternatives":[{"option":"cache","rejectedBecause":"stale"}],"confidence":0.25,)"
        R"("refs":["obs:1"],"why":"fresh data"})";
    Rationale expected;
    expected.why = "fresh data";
    expected.refs = {"obs:1"};
    expected.alternatives = {{"cache", "stale"}};
    expected.confidence = 0.25;
    CHECK(strict(json).value() == expected);
    CHECK(lenient(json) == CleanRationale{expected, {}});
    CHECK(write_rationale(expected) == json);
  }

  TEST_CASE("an empty list of refs says something, an empty list of alternatives does not") {
    CHECK(left_of(R"({"why":"w","refs":[]})") == R"({"refs":[],"why":"w"})");
    CHECK(left_of(R"({"why":"w","alternatives":[]})") == R"({"why":"w"})");
    CHECK(strict(R"({"why":"w","alternatives":[]})"));
  }

  TEST_CASE("a number is a confidence by its value, not by its digits") {
    CHECK(left_of(R"({"why":"w","confidence":1e0})") == R"({"confidence":1,"why":"w"})");
    CHECK(left_of(R"({"why":"w","confidence":-0.0})") == R"({"confidence":0,"why":"w"})");
    CHECK(left_of(R"({"why":"w","confidence":1e-999})") == R"({"confidence":0,"why":"w"})");
    for (const char* number : {"1e999", "-1e-999", "1.00000000000000000000001", "null", "\"1\""}) {
      CAPTURE(number);
      const auto clean = lenient(std::string(R"({"why":"w","confidence":)") + number + "}");
      CHECK(clean.dropped == Words{"confidence: no number from 0 to 1"});
    }
  }

  TEST_CASE("lengths are counted in code points") {
    const auto why = [](const std::string& text) { return "{\"why\":\"" + text + "\"}"; };
    for (const char* one : {"k", "\xc3\xa9", "\xf0\x9f\xa7\xad", "\\ud800", "\\u0041"}) {
      CAPTURE(one);
      CHECK(strict(why(repeated(one, 280))));
      const auto cut = lenient(why(repeated(one, 281)));
      CHECK(cut.dropped == Words{"why: longer than 280 characters"});
      CHECK(write_rationale(*cut.rationale) == left_of(why(repeated(one, 280))));
    }
  }

  TEST_CASE("what is blank explains nothing") {
    for (const char* text : {"", " \\n\\t", "\\u00a0", "\\u3000", "\\u200b"}) {
      CAPTURE(text);
      const auto clean = lenient(std::string("{\"why\":\"") + text + "\"}");
      CHECK_FALSE(clean.rationale);
      CHECK(clean.dropped == Words{"why: blank"});
    }
    // Nor what is blank once it is cut.
    const auto clean = clean_rationale(repeated(" ", 280) + "x");
    CHECK_FALSE(clean.rationale);
    CHECK(clean.dropped == Words{"why: longer than 280 characters", "why: blank up to there"});
  }

  TEST_CASE("each drop is told, and strict refuses for the first of them") {
    const char* json = R"({"why":"w","mood":1,"refs":"obs:1","confidence":2,"alternatives":[
        {"option":"a","rejectedBecause":"b"},7,{"option":"c"},{"option":"\n","rejectedBecause":""}]})";
    CHECK(lenient(json).dropped ==
          Words{"refs: no list of texts", "alternatives[1]: no object",
                "alternatives[2]: no text 'rejectedBecause'", "alternatives[3]: no text 'option'",
                "confidence: no number from 0 to 1", "mood: unknown field"});
    CHECK(left_of(json) == R"({"alternatives":[{"option":"a","rejectedBecause":"b"}],"why":"w"})");
    const auto error = strict(json).error();
    CHECK(error.code == Error::Code::invalid);
    CHECK(error.message == "refs: no list of texts");
    CHECK(strict(R"({"why":"w","mood":1})"));
  }

  TEST_CASE("what says no why is no rationale") {
    CHECK(lenient("[]") == CleanRationale{{}, {"a rationale must be an object"}});
    CHECK(lenient("{}") == CleanRationale{{}, {"why: missing"}});
    CHECK(lenient(R"({"why":null})") == CleanRationale{{}, {"why: no text"}});
    CHECK(strict("\"w\"").error().message == "a rationale must be an object");
  }

  TEST_CASE("a field with a long name is told by its begin") {
    const auto clean = lenient("{\"why\":\"w\",\"" + std::string(1000, 'x') + "\":1}");
    CHECK(clean.dropped == Words{std::string(40, 'x') + "…: unknown field"});
  }

  TEST_CASE("a plain text is a why") {
    CHECK(clean_rationale("because").rationale->why == "because");
    CHECK(clean_rationale("because").dropped.empty());
    CHECK_FALSE(clean_rationale(" ").rationale);
  }
}
