// Calls that importers found in the texts of answers are steps as native calls are.

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "import/importer.h"
#include "import/source.h"
#include "trace/deriver.h"

namespace {

using spoor::graph::Repository;
using spoor::trace::Call;

std::vector<Call> calls_in(const std::string& sample) {
  std::ifstream in(std::string(SPOOR_SOURCE_DIR) + "/tests/data/import/" + sample,
                   std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const std::string bytes = text.str();
  const auto repository = Repository::in_memory();
  spoor::import::TextSource source(sample, bytes);
  const auto report = spoor::import::import_source(source, *repository, {}).value();
  const auto head = repository->store().ref(report.main_ref).value();
  std::vector<Call> calls;
  const auto derived = spoor::trace::derive(
      *repository, {}, head.value(), [&](const spoor::trace::Step& step) -> spoor::Result<void> {
        if (const Call* call = std::get_if<Call>(&step.what)) calls.push_back(*call);
        return {};
      });
  REQUIRE(derived.has_value());
  return calls;
}

}  // namespace

TEST_SUITE("trace/text_calls") {
  TEST_CASE("a command in the text of an answer is a call with its result and exit code") {
    const auto calls = calls_in("mini-swe-agent/text.json");
    REQUIRE(calls.size() == 3);
    REQUIRE(calls[0].asked.number > 0);
    CHECK(calls[0].asked.name == "bash");
    CHECK(calls[0].asked.arguments == R"({"command":"ls bells && cat rope.txt"})");
    CHECK(calls[0].exit_code == 2);
    CHECK(calls[0].outcome == spoor::trace::Outcome::failed);
    CHECK(calls[1].asked.arguments == R"({"command":"ring"})");
    CHECK(calls[1].exit_code == 0);
    CHECK(calls[2].asked.arguments == R"({"command":"ring -l"})");
    CHECK(calls[2].exit_code == 7);
  }

  TEST_CASE("tags of functions are calls with their parameters") {
    const auto calls = calls_in("sharegpt/tags.json");
    REQUIRE(calls.size() == 2);
    REQUIRE(calls[0].asked.number > 0);
    CHECK(calls[0].tool == "str_replace_editor");
    CHECK(calls[0].asked.arguments == R"({"command":"view","path":"/book.txt"})");
    CHECK(calls[0].result);
  }
}
