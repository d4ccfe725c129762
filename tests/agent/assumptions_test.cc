#include "agent/reading/assumptions.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

#include "base/utf8.h"

using namespace spoor;
using namespace spoor::agent::reading;

namespace {

// `P <- Q | R`: assumptions, each with its reason if there is one.
std::string assumed(std::string_view text, std::string_view thinking = {}) {
  std::string out;
  for (const Assumption& found : read_assumptions(text, thinking)) {
    out += (out.empty() ? "" : " | ") + found.assumption;
    if (found.why) out += " <- " + *found.why;
  }
  return out;
}

}  // namespace

TEST_SUITE("agent/reading/assumptions") {
  TEST_CASE("markers") {
    for (const char* marker :
         {"I assume", "i  assume", "I\tam assuming", "I'm assuming", "I\u2019m assuming",
          "WE ASSUME that", "we are assuming that", "We\u2019re assuming",
          "(so) I assume:", "\u201cI assume", "**I assume** that", "- I assume,"}) {
      CAPTURE(marker);
      CHECK(assumed(std::string(marker) + " P.") == "P");
    }
    for (const char* text : {"I assumed P.", "I'm assume P.", "I am assume P.", "We am assuming P.",
                             "wII assume P.", "x_I assume P.", "9I assume P.", "\u00e9I assume P.",
                             "I\nassume P.", "Iassume P.", "I assuming P.", "assuming that P."}) {
      CAPTURE(text);
      CHECK(assumed(text) == "");
    }
  }

  TEST_CASE("that is dropped as a word only") {
    CHECK(assumed("I assume thatch burns.") == "thatch burns");
    CHECK(assumed("I assume that.") == "");
    CHECK(assumed("I assume that that is so.") == "that is so");
  }

  TEST_CASE("where sentences end") {
    CHECK(assumed("I assume v1.2 of a.b is e.g. fine. Next.") == "v1.2 of a.b is e.g. fine");
    CHECK(assumed("I assume P.) Then (I assume \"Q.\" \n so.)") == "P | \"Q");
    CHECK(assumed("I assume P. \u00c9t\u00e9") == "P");
    CHECK(assumed("I assume P.\u201d Then") == "P");
    CHECK(assumed("I assume P.\r\nQ") == "P");
    CHECK(assumed("I assume P...") == "P");
    CHECK(assumed("I assume *.txt is meant.") == "*.txt is meant");
    CHECK(assumed("* I assume P;\n* I assume Q") == "P | Q");
    CHECK(assumed("I assume P? I assume Q!") == "Q");
  }

  TEST_CASE("reasons") {
    CHECK(assumed("I assume P, because Q, or so.") == "P <- Q, or so");
    CHECK(assumed("I assume P \u2014 BECAUSE Q") == "P <- Q");
    CHECK(assumed("I assume P because.") == "P");
    CHECK(assumed("I assume because Q.") == "");
    CHECK(assumed("I assume P\n  Because Q\nI assume R\nbecause\nS") == "P <- Q | R");
    CHECK(assumed("I assume becauses P abecause Q.") == "becauses P abecause Q");
  }

  TEST_CASE("what is taken is no assumption") {
    for (const char* taken : {"responsibility", "Responsibilities", "CONTROL of it", "command,",
                              "liability", "ownership"}) {
      CAPTURE(taken);
      CHECK(assumed(std::string("I assume ") + taken + ". I assume P.") == "P");
    }
    CHECK(assumed("I assume controls are on.") == "controls are on");
    CHECK(assumed("I assume ... !") == "");
  }

  TEST_CASE("a sentence is one assumption") {
    CHECK(assumed("I assume that we assume P. I assume Q.") == "we assume P | Q");
  }

  TEST_CASE("lengths are counted in code points, after which equal ones are one") {
    std::string text = "I assume ";
    for (int i = 0; i < 300; ++i) text += "\u00e9";
    const std::string reason = " because" + std::string(300, 'x').insert(0, " ");
    const auto found = read_assumptions(text + reason + ".", text + "z.");
    REQUIRE(found.size() == 1);
    CHECK(spoor::count_code_points(found[0].assumption) == 240);
    CHECK(found[0].why == std::string(280, 'x'));
  }

  TEST_CASE("whatever the text, what is read stands in it") {
    const std::array<std::string, 20> pieces = {"I assume ", "we're assuming ",
                                                "that ",     "because ",
                                                "P",         "Q",
                                                ". ",        "?",
                                                "!",         "\n",
                                                "control ",  "I",
                                                "\u2014",    "\u201d",
                                                "*",         ",",
                                                "1.5 ",      "\xff",
                                                "Bb",        " "};
    std::mt19937 random(20261122);
    int read = 0;
    for (int round = 0; round < 20'000; ++round) {
      std::string text;
      for (std::size_t i = random() % 16; i > 0; --i) text += pieces[random() % pieces.size()];
      CAPTURE(text);
      const auto found = read_assumptions(text);
      REQUIRE(found.size() <= kMaxAssumptions);
      for (const Assumption& one : found) {
        ++read;
        REQUIRE_FALSE(one.assumption.empty());
        REQUIRE(text.find(one.assumption) != std::string::npos);
        if (one.why) REQUIRE(text.find(*one.why) != std::string::npos);
      }
    }
    CHECK(read > 1000);
  }

  TEST_CASE("texts made to be slow are read in linear time") {
    for (const std::string& piece :
         {std::string("I "), std::string("I assume?"), std::string("I assume control"),
          std::string("I assume P.\")'"), std::string("I assume P\n "), std::string("b"),
          std::string("I assume \u2014\u2013-")}) {
      CAPTURE(piece);
      std::string text;
      while (text.size() < 5'000'000) text += piece;
      // A square would take hours, and ctest would end it.
      CHECK(read_assumptions(text).size() <= kMaxAssumptions);
    }
  }
}
