#include <array>

#include "tests/vectors_runner/formats.h"
#include "tests/vectors_runner/rationale_kind.h"

namespace spoor::vectors {
namespace {

constexpr std::array kKinds = {
    &kAssumptionsKind, &kBlocksKind, &kCallsKind, &kDebriefKind, &kValidateKind,
};

const RationaleKind& kind_named(const Json& name) {
  for (const RationaleKind* kind : kKinds) {
    if (name == kind->name) return *kind;
  }
  throw BadVector("unknown kind " + shown(name));
}

AnyVector read_vector(const Json& json) {
  check_keys(json, {"name", "kind", "family", "origin", "input", "expect"}, {"note", "tags"},
             "a vector");
  require(json["name"].is_string(), "a name is no text");
  const RationaleKind& kind = kind_named(json["kind"]);
  const Names origins = {"basic", "edge", "improved", "new"};
  require(json["origin"].is_string() && origins.contains(json["origin"]), "an unknown origin");
  require(!json.contains("tags") || json["tags"] == Json::array({"improved"}), "an unknown tag");
  check_keys(json["input"], kind.input_required, kind.input_optional, "the input");
  check_keys(json["expect"], kind.expect_required, kind.expect_optional, "the expectation");
  return {.name = json["name"],
          .needs_store = false,
          .play = [&kind, input = json["input"], expect = json["expect"]](testing::Backend*) {
            try {
              return kind.play(input, expect);
            } catch (const std::exception& problem) {  // A value of another type than the format's.
              return std::vector<std::string>{problem.what()};
            }
          }};
}

std::vector<AnyVector> read_rationale(const Json& file, const std::string& where,
                                      const Reading& how) {
  return read_each(file, where, how, read_vector);
}

}  // namespace

const Format kRationaleFormat{"spoor-rationale-1", read_rationale};

Json json_of(const agent::Rationale& rationale) {
  return Json::parse(agent::write_rationale(rationale));
}

void compare(std::vector<std::string>& problems, const std::string& what, const Json& expected,
             const Json& got) {
  if (expected == got) return;
  problems.push_back(what + ": expected " + shown(expected) + ", got " + shown(got));
}

std::string text_at(const Json& object, const char* key) {
  return object.contains(key) ? object.at(key).get<std::string>() : std::string();
}

}  // namespace spoor::vectors
