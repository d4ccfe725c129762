#include "base/json/reader.h"
#include "tests/vectors_runner/rationale_kind.h"

namespace spoor::vectors {
namespace {

std::vector<std::string> play_validate(const Json& input, const Json& expect) {
  const std::string text = input["value"].dump();
  const auto document = json::parse(text).value();
  std::vector<std::string> problems;

  const auto strict = agent::parse_rationale(document.root());
  compare(problems, "strict", expect["strict"], strict ? "ok" : "error");
  if (strict) {
    compare(problems, "strict value", expect["lenient"], json_of(*strict));
    require(!expect.contains("error_contains"), "a value without an error has one to expect");
  } else {
    const std::string& message = strict.error().message;
    if (message.find(text_at(expect, "error_contains")) == std::string::npos) {
      problems.push_back("error: expected " + shown(expect["error_contains"]) + " in " + message);
    }
  }

  const auto lenient = agent::clean_rationale(document.root());
  compare(problems, "lenient", expect["lenient"],
          lenient.rationale ? json_of(*lenient.rationale) : Json());
  if (strict.has_value() == false && lenient.dropped.empty()) {
    problems.push_back("lenient: what strict refuses was dropped without a word");
  }
  return problems;
}

}  // namespace

const RationaleKind kValidateKind{"validate",         {"value"},    {}, {"strict", "lenient"},
                                  {"error_contains"}, play_validate};

}  // namespace spoor::vectors
