// Sessions of other people's agents, redacted: nothing but placeholders changes.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "guard/redact/redactor.h"

namespace spoor::guard {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Is `after` the text `before`, but that each placeholder stands for something?
bool differs_in_placeholders(const std::string& before, std::string after) {
  std::size_t at = 0;
  while (true) {
    const std::size_t mark = after.find("[REDACTED:");
    if (mark == std::string::npos)
      return before.substr(std::min(at, before.size())).ends_with(after);
    const std::size_t found = before.find(after.substr(0, mark), at);
    if (found == std::string::npos) return false;
    at = found + mark;
    after.erase(0, after.find(']', mark) + 1);
  }
}

// The same for JSON, where a number may have become a text.
bool differs_in_placeholders(const Json& before, const Json& after) {
  if (before == after) return true;
  if (after.is_string()) {
    const std::string text = before.is_string() ? before.get<std::string>() : before.dump();
    const Json inner = Json::parse(text, nullptr, false);
    if (inner.is_structured()) {
      const Json changed = Json::parse(after.get<std::string>(), nullptr, false);
      if (!changed.is_discarded()) return differs_in_placeholders(inner, changed);
    }
    return differs_in_placeholders(text, after.get<std::string>());
  }
  if (before.type() != after.type() || before.size() != after.size()) return false;
  auto other = after.begin();
  for (auto at = before.begin(); at != before.end(); ++at, ++other) {
    if (before.is_object() && at.key() != other.key() &&
        !differs_in_placeholders(at.key(), other.key())) {
      return false;
    }
    if (!differs_in_placeholders(*at, *other)) return false;
  }
  return true;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

TEST_SUITE("guard/redact/real_sessions") {
  TEST_CASE("of real sessions nothing but secrets changes, and every line is the JSON it was") {
    const fs::path data = fs::path(SPOOR_SOURCE_DIR) / "../shared/data";
    if (!fs::is_directory(data)) {
      MESSAGE("skipped: no sessions at ", data.string());
      return;
    }
    const auto rules = RuleSet::with_builtin().value();
    MemoryNumbering numbers;
    const Redactor redactor(*rules, numbers);
    std::size_t files = 0;
    std::size_t lines = 0;
    std::map<std::string, std::size_t> found;
    for (const auto& entry : fs::recursive_directory_iterator(data)) {
      if (entry.path().extension() != ".jsonl") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      ++files;
      for (const std::string& line : lines_of(text)) {
        ++lines;
        std::vector<Redaction> redactions;
        const std::string clean = redactor.redact(line, {}, &redactions).value();
        CHECK((clean == line) == redactions.empty());
        if (redactions.empty()) continue;
        for (const Redaction& each : redactions) ++found[each.rule];
        CHECK(redactor.redact(clean).value() == clean);
        const Json before = Json::parse(line, nullptr, false);
        if (before.is_discarded()) {
          CHECK(differs_in_placeholders(line, clean));
          continue;
        }
        const Json after = Json::parse(clean, nullptr, false);
        REQUIRE_FALSE(after.is_discarded());
        CHECK_MESSAGE(differs_in_placeholders(before, after), clean.substr(0, 300));
      }
    }
    CHECK(files > 0);
    std::string summary;
    for (const auto& [rule, count] : found) summary += " " + rule + " " + std::to_string(count);
    MESSAGE(files, " files, ", lines, " lines:", summary);
  }
}

}  // namespace spoor::guard
