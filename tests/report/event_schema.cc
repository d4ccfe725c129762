#include "tests/report/event_schema.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/schema.h"
#include "store/sha256.h"
#include "trace/event_json.h"

namespace spoor::report::testing {
namespace {

const llm::Schema& schema() {
  static const llm::Schema kSchema = [] {
    std::ifstream file(std::string(SPOOR_SOURCE_DIR) + "/docs/schema/decision-event-0.2.json");
    std::stringstream text;
    text << file.rdbuf();
    return llm::Schema::parse(text.str()).value();
  }();
  return kSchema;
}

}  // namespace

void check_event(std::string_view text) {
  const auto problems = schema().check_text(text);
  REQUIRE(problems);
  for (const llm::SchemaProblem& problem : *problems) FAIL_CHECK(problem.text());
  const auto canonical = json::canonical(text);
  REQUIRE(canonical);
  CHECK(*canonical == text);
  const auto document = json::parse(text);
  const auto provenance = document->root().find("prompt_provenance");
  const auto bundle = provenance.find("prompt_bundle");
  const std::string hash = provenance.find("prompt_bundle_hash").text();
  if (!bundle.is_object()) return;
  std::string bytes;
  json::append_canonical(bytes, bundle);
  CHECK(store::sha256(bytes).hex() == hash);
}

void check_event(const DecisionEvent& event) { check_event(to_json(event)); }

}  // namespace spoor::report::testing
