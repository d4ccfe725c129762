// docs/schema/operations.json: the members of every operation, for programs that make types of
// them.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

#include "api/command.h"
#include "api/operations/operations.h"

namespace {

namespace operations = spoor::api::operations;
using json = nlohmann::ordered_json;
using operations::Holds;
using spoor::api::Count;
using spoor::api::Parameter;
using spoor::api::Takes;

json schema_of(Holds holds) {
  const json text = {{"type", "string"}};
  switch (holds) {
    case Holds::text:
    case Holds::revision:
      return text;
    case Holds::integer:
      return {{"type", "integer"}};
    case Holds::boolean:
      return {{"type", "boolean"}};
    case Holds::revisions:
    case Holds::texts:
      return {{"type", "array"}, {"items", text}};
    case Holds::object:
      return {{"type", "object"}};
    case Holds::list:
      return {{"type", "array"}};
    case Holds::anything:
      return json::object();
  }
  return {};
}

json schema_of(const Parameter& parameter) {
  json schema = {{"type", "string"}};
  if (parameter.is_flag()) schema = {{"type", "boolean"}};
  if (parameter.takes == Takes::number || parameter.takes == Takes::positive) {
    schema = {{"type", "integer"}};
  }
  if (parameter.takes == Takes::choice) {
    json choices = json::array();
    std::string word;
    for (const char each : std::string(parameter.choices) + "|") {
      if (each != '|') {
        word += each;
        continue;
      }
      choices.push_back(word);
      word.clear();
    }
    schema = {{"enum", choices}};
  }
  if (parameter.count == Count::many || parameter.count == Count::some) {
    schema = {{"type", "array"}, {"items", schema}};
  }
  schema["description"] = parameter.help;
  return schema;
}

json entry(const char* summary, json properties, json required) {
  return {{"summary", summary},
          {"members",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)}}}};
}

json every_operation() {
  json all = json::object();
  for (const auto table : {operations::reading_operations(), operations::writing_operations(),
                           operations::rewriting_operations()}) {
    for (const operations::Operation& operation : table) {
      json properties = json::object();
      json required = json::array();
      for (const operations::Member& member : operation.members) {
        properties[member.name] = schema_of(member.holds);
        if (member.is_required) required.push_back(member.name);
      }
      all[operation.name] = entry(operation.summary, properties, required);
    }
  }
  all["transaction"] =
      entry("several writes, all or none",
            {{"ops", {{"type", "array"}, {"items", {{"type", "object"}}}}}}, json::array({"ops"}));
  for (const spoor::api::Command& command : spoor::api::commands()) {
    json properties = json::object();
    json required = json::array();
    for (const Parameter& parameter : command.parameters) {
      if (parameter.key() == "stream" || parameter.key() == "json") continue;
      const std::string key(parameter.key());
      properties[key] = schema_of(parameter);
      if (parameter.count == Count::one || parameter.count == Count::some) required.push_back(key);
    }
    all[command.name] = entry(command.summary, properties, required);
  }
  return all;
}

}  // namespace

TEST_SUITE("api/operations") {
  // With SPOOR_UPDATE_TRANSCRIPTS=1 the file is written anew: read the diff.
  TEST_CASE("docs/schema/operations.json has the members of every operation") {
    const std::string path = SPOOR_SOURCE_DIR "/docs/schema/operations.json";
    const std::string expected = every_operation().dump(2) + "\n";
    if (std::getenv("SPOOR_UPDATE_TRANSCRIPTS") != nullptr) std::ofstream(path) << expected;
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    CHECK_MESSAGE(text == expected, path);
  }
}
