#include <doctest/doctest.h>

#include "import/records.h"
#include "tests/import/support.h"

using namespace import_test;
using namespace std::string_literals;
using spoor::import::Remark;

namespace {

struct Imported {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;
  std::vector<Step> steps;
};

Imported import_malformed(const std::string& name) {
  Imported imported;
  imported.report = import_text(*imported.repository, fixture("malformed/" + name));
  imported.steps = history(*imported.repository, imported.report.main_ref);
  return imported;
}

std::string messages(const LossReport& report) {
  std::string all;
  for (const Remark& remark : report.remarks) all += remark.message() + "\n";
  return all;
}

}  // namespace

TEST_SUITE("import/malformed") {
  TEST_CASE("two records glued on one line are both read") {
    const Imported imported = import_malformed("glued.jsonl");
    CHECK(outline(imported.steps) == "user:Is it high water?|assistant:Not before noon.");
    CHECK(imported.report.is_clean());
  }

  TEST_CASE("a torn last line is reported and nothing of it stored") {
    const Imported imported = import_malformed("torn.jsonl");
    CHECK(outline(imported.steps) == "user:Is it high water?");
    CHECK_FALSE(imported.report.is_clean());
    CHECK(imported.report.torn == 1);
    CHECK(messages(imported.report).starts_with("session.jsonl:2: the last line is cut off"));
  }

  TEST_CASE("a record cut off in the middle costs itself, not what was glued behind it") {
    const Imported imported = import_malformed("torn_then_glued.jsonl");
    CHECK(outline(imported.steps) ==
          "user:Is it high water?|assistant:Not before noon.|user:Hello?");
    CHECK(imported.report.unreadable == 1);
    CHECK(messages(imported.report).starts_with("session.jsonl:3: "));
    CHECK(messages(imported.report).find("the rest of the line was read") != std::string::npos);
  }

  TEST_CASE("bytes that are not UTF-8 stay as they are") {
    const Imported imported = import_malformed("invalid_utf8.jsonl");
    CHECK(outline(imported.steps) ==
          "user:Is it high \xff\xfewater?|assistant:Not before \xc3noon.");
    CHECK(imported.report.is_clean());
    CHECK(imported.report.oddities == 2);
    CHECK(imported.steps[0].turn.raw.size() == 1);  // U+FFFD would not give it back.
  }

  TEST_CASE("half a surrogate pair stays, and comes back as an escape") {
    const Imported imported = import_malformed("lone_surrogate.jsonl");
    CHECK(imported.steps[0].turn.text == "Is it high \xed\xa0\xbc water?");
    CHECK(imported.steps[0].turn.raw.empty());
    CHECK(imported.report.is_clean());
    CHECK(messages(imported.report) ==
          "session.jsonl:1: half a surrogate pair in a string, kept as it is\n");
  }

  TEST_CASE("of duplicate keys the last one counts") {
    const Imported imported = import_malformed("duplicate_keys.jsonl");
    CHECK(imported.steps[0].turn.text == "Is it high water?");
    CHECK(imported.steps[0].turn.facts.text("git_branch") == "main");
    CHECK(messages(imported.report).find(":1: the key 'content' occurs twice") !=
          std::string::npos);
  }

  TEST_CASE("a number of twenty digits keeps them all") {
    const Imported imported = import_malformed("long_number.jsonl");
    CHECK(imported.steps[2].turn.fields.tool_calls->at(0).arguments ==
          R"({"count":12345678901234567890})");
    CHECK(imported.steps[2].turn.facts.json("usage").find(
              R"("output_tokens":12345678901234567890)") != std::string::npos);
    CHECK(imported.report.is_clean());
  }

  TEST_CASE("NUL is kept in strings and passed over between records") {
    const Imported imported = import_malformed("nul.jsonl");
    CHECK(imported.steps.at(0).turn.text == "Is it high\0water?"s);
    CHECK(imported.steps.size() == 2);
    CHECK(imported.report.unreadable == 2);
    CHECK(messages(imported.report) ==
          "session.jsonl:1: a NUL byte in a string, kept as it is\n"
          "session.jsonl:2: 4 NUL bytes outside of any record, skipped\n"
          "session.jsonl:3: 2 NUL bytes outside of any record, skipped\n");
  }

  TEST_CASE("line ends and a byte order mark change no commit") {
    const Imported crlf = import_malformed("crlf.jsonl");
    const Imported bom = import_malformed("bom.jsonl");
    CHECK(outline(crlf.steps) == "user:Is it high water?|assistant:Not before noon.");
    CHECK(crlf.report.oddities == 0);
    CHECK(outline(bom.steps) == outline(crlf.steps));
    CHECK(messages(bom.report) == "session.jsonl:1: a byte order mark, skipped\n");

    std::string text = fixture("malformed/crlf.jsonl");
    std::erase(text, '\r');
    const auto repository = Repository::in_memory();
    import_text(*repository, text);
    CHECK(refs_text(*repository) == refs_text(*crlf.repository));
  }

  TEST_CASE("raw control characters in strings are kept") {
    const Imported imported = import_malformed("control.jsonl");
    CHECK(imported.steps[1].turn.text == "Not before\tnoon\x01.");
    CHECK(imported.steps[1].turn.raw.size() == 1);
  }

  TEST_CASE("garbage between records is named, line by line, and the rest imported") {
    const Imported imported = import_malformed("garbage.jsonl");
    CHECK(outline(imported.steps) == "user:Is it high water?|assistant:Not before noon.");
    CHECK(imported.report.unreadable == 3);
    CHECK(messages(imported.report) ==
          "session.jsonl:2: expected a value (byte 1), not imported\n"
          "session.jsonl:3: a array where a record was expected, not imported\n"
          "session.jsonl:4: expected a value (byte 25), not imported\n");
  }

  TEST_CASE("a wrong file is refused, and the message names it") {
    for (const char* name : {"wrong_agent.jsonl", "wrong_file.jsonl"}) {
      const auto repository = Repository::in_memory();
      const std::string text = fixture("malformed/"s + name);
      spoor::import::TextSource source(name, text);
      const auto result = spoor::import::import_source(source, *repository, {});
      REQUIRE_FALSE(result.has_value());
      CHECK(result.error().code == spoor::Error::Code::invalid);
      CHECK(result.error().message == "'"s + name + "' is not a session file that spoor can read");
      CHECK(ref_names(*repository).empty());
    }
  }

  TEST_CASE("every other fixture is recognised by its content") {
    for (const fs::path& path : own_sessions()) {
      CAPTURE(path.string());
      const auto repository = Repository::in_memory();
      const auto source = spoor::import::open_file(path.string()).value();
      CHECK(spoor::import::import_source(*source, *repository, {}).has_value());
    }
  }

  TEST_CASE("an empty file holds nothing, and is no error") {
    const auto repository = Repository::in_memory();
    spoor::import::TextSource source("empty.jsonl", "\n \n");
    const auto report = spoor::import::import_source(source, *repository, {}).value();
    CHECK(report.records == 0);
    CHECK(report.sources == 1);
  }

  TEST_CASE("a first record whose long text comes before its role is recognised") {
    const auto repository = Repository::in_memory();
    const std::string text(1'000'000, 'x');
    const std::string record = R"({"messages":[{"content":")" + text + R"(","role":"user"}]})";
    spoor::import::TextSource source("chat.json", record);
    const auto report = spoor::import::import_source(source, *repository, {});
    REQUIRE(report);
    const auto steps = history(*repository, report.value().main_ref);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].turn.text == text);
  }

  TEST_CASE("a line of fifty megabytes is imported whole") {
    std::string text = fixture("malformed/glued.jsonl");
    const std::string wanted = "high water";
    const std::string large(50'000'000, 'w');
    text.replace(text.find(wanted), wanted.size(), large);
    const auto repository = Repository::in_memory();
    const LossReport report = import_text(*repository, text);
    CHECK(report.is_clean());
    const auto steps = history(*repository, report.main_ref);
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].turn.text == "Is it " + large + "?");
  }

  TEST_CASE("half pairs are told from whole ones") {
    using spoor::import::has_lone_surrogate;
    CHECK(has_lone_surrogate(R"("\ud83c")"));
    CHECK(has_lone_surrogate(R"("\ude00\ud83c")"));
    CHECK(has_lone_surrogate(R"("\ud83c\n\ude00")"));
    CHECK_FALSE(has_lone_surrogate(R"("\ud83c\ude00")"));
    CHECK_FALSE(has_lone_surrogate(R"("\\ud83c")"));
    CHECK_FALSE(has_lone_surrogate(R"("plain")"));
  }
}
