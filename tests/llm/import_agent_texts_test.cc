// Sessions of Hermes Agent: what becomes of their parts.

#include <doctest/doctest.h>

#include "tests/llm/import_support.h"

using namespace import_test;
using spoor::llm::import::TextSource;

namespace {

const fs::path kTexts = fs::path(SPOOR_SOURCE_DIR) / "tests/data/import";

struct Told {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;

  explicit Told(const std::string& text) {
    TextSource source("session", text);
    report = spoor::llm::import::import_source(source, *repository, {}).value();
  }

  std::vector<Step> steps(const std::string& branch) const {
    return history(*repository, "refs/heads/" + branch);
  }
};

}  // namespace

TEST_SUITE("llm/import/agent_texts") {
  TEST_CASE("Hermes: reasoning with its sealed items, calls and results, facts") {
    const Told got(read_file(kTexts / "hermes/session.json"));
    const std::string branch = "hermes/20260203_101500_a1b2c3";
    CHECK(got.report.main_ref == "refs/heads/" + branch);
    const auto steps = got.steps(branch);
    CHECK(outline(steps) ==
          "system:You keep the harbour log.|user:How high is the water at berth 3?|"
          "reasoning:The gauge knows.|assistant:I will read the gauge.|tool:2.41 m and rising|"
          "reasoning:Rising water.\nSlack at noon.|assistant:|reasoning:|"
          "assistant:2.41 m, and rising until noon.|user:And this one?|assistant:That is a heron.");
    CHECK(steps[2].turn.fields.format == "reasoning_content");
    CHECK(steps[3].turn.attach.at(0).bytes.find("c2lnLWdhdWdl") != std::string::npos);
    const auto call = steps[3].turn.fields.tool_calls.value().at(0);
    CHECK(call.id == "call_t1");
    CHECK(call.name == "tide");
    CHECK(call.arguments == R"({"berth": 3})");
    CHECK(steps[4].turn.fields.call_id == "call_t1");
    CHECK(steps[4].turn.fields.name == "tide");
    CHECK(steps[5].turn.fields.format == "responses");
    REQUIRE(steps[5].turn.raw.size() == 1);
    CHECK(steps[5].turn.raw[0].bytes.find("Z0FBQUFBaGFyYm91cg==") != std::string::npos);
    CHECK(steps[6].turn.attach.at(0).bytes.find("An item of no known kind") != std::string::npos);
    CHECK(steps[6].turn.attach.at(0).bytes.find("It rises still.") != std::string::npos);
    CHECK(steps[6].turn.attach.at(0).bytes.find("Z0FBQUFBaGFyYm91cg==") == std::string::npos);
    CHECK(steps[7].turn.raw.at(0).bytes.find("c2VhbGVkLWFsb25l") != std::string::npos);
    CHECK(steps[8].turn.facts.text("finish_reason") == "stop");
    CHECK(steps[8].turn.facts.text("model") == "heath/loam-2");
    CHECK(steps[8].turn.facts.text("cwd") == "/srv/harbour");
    CHECK(steps[8].turn.facts.text("session") == "20260203_101500_a1b2c3");
    CHECK(steps[8].turn.author == "heath/loam-2");
    CHECK(steps[9].turn.author == "user");
    CHECK(steps[9].turn.attach.at(0).media_type == "image/png");
    CHECK(steps[10].turn.facts.text("model") == "heath/silt-1");
    CHECK(steps[10].turn.author == "heath/silt-1");
    CHECK(got.report.kept ==
          LossReport::Counts{{"message/lighthouse", 1}, {"session", 1}, {"session_meta", 1}});
    CHECK(got.report.unknown == LossReport::Counts{{"message/lighthouse", 1}});
  }

  TEST_CASE("Hermes: a session is recognised before its messages come") {
    std::string text = read_file(kTexts / "hermes/session.json");
    const std::string gauge = "Reads the tide gauge";
    text.replace(text.find(gauge), gauge.size(), gauge + std::string(300'000, '.'));
    CHECK(Told(text).report.main_ref == "refs/heads/hermes/20260203_101500_a1b2c3");
  }

  TEST_CASE("Hermes: a transcript is a message a line, whose model its head names") {
    const Told got(read_file(kTexts / "hermes/transcript.jsonl"));
    const auto steps = history(*got.repository, got.report.main_ref);
    CHECK(outline(steps) ==
          "user:Mend the blue net.|reasoning:Blue means starboard.|assistant:|"
          "tool:{\"knots\": 14}|assistant:Mended with fourteen knots.|user:Thank you.|"
          "assistant:Fair winds.");
    CHECK(steps[0].commit.time->text() == "2026-02-05T08:00:01.000000Z");
    CHECK(steps[2].turn.facts.text("model") == "heath/loam-2");
    CHECK(steps[3].turn.fields.name == "net");
    CHECK(steps[6].turn.facts.text("model") == "heath/silt-1");
    CHECK(got.report.kept == LossReport::Counts{{"session_meta", 2}});
    CHECK(got.report.unknown.empty());
  }
}
