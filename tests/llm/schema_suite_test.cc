// The JSON Schema organisation's own tests, where Debian's package json-schema-test-suite is
// installed: each case that uses nothing but what Schema checks.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "llm/schema.h"

using namespace spoor;
using namespace spoor::llm;
namespace json = spoor::json;

namespace {

const std::filesystem::path kFolder = "/usr/share/json-schema-test-suite/tests/draft7";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Draft 7 ignores what stands beside a $ref, and its `id` moves what a $ref is relative to.
bool is_of_draft_7(std::string_view description) {
  constexpr std::string_view kOther[] = {"$ref siblings", "ref overrides any sibling", "$id",
                                         "base URI", "Location-independent"};
  return std::ranges::any_of(kOther, [&](std::string_view word) {
    return description.find(word) != std::string_view::npos;
  });
}

}  // namespace

TEST_SUITE("llm/schema/suite") {
  TEST_CASE("the public test suite agrees") {
    if (!std::filesystem::is_directory(kFolder)) {
      MESSAGE("skipped: json-schema-test-suite is not installed");
      return;
    }
    int checked = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
      if (entry.path().extension() != ".json") continue;
      const std::string text = read_file(entry.path());
      const json::Document document = json::parse(text).value();
      for (const json::Value group : document.root().elements()) {
        const auto schema = Schema::parse(group.find("schema").raw());
        const std::string description = group.find("description").text();
        if (!schema || !schema.value().unchecked().empty() || is_of_draft_7(description)) continue;
        for (const json::Value test : group.find("tests").elements()) {
          CAPTURE(entry.path().filename().string());
          CAPTURE(description);
          CAPTURE(test.find("description").text());
          const auto problems = schema.value().check(test.find("data"));
          REQUIRE(problems);
          CHECK(problems.value().empty() == test.find("valid").is_true());
          ++checked;
        }
      }
    }
    CHECK(checked >= 250);
  }
}
