// Commands that agents of other people ran: what is found in them, and that nothing else is.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "guard/check/commands.h"
#include "guard/check/destructive.h"
#include "guard/check/effects.h"

namespace spoor::guard::check {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The scripts and argument vectors in a record, also in JSON that stands in a text.
void collect(const json& value, std::set<std::string>& scripts,
             std::set<std::vector<std::string>>& vectors) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    if (text.find("\"command\"") == std::string::npos && text.find("\"cmd\"") == std::string::npos)
      return;
    const json inner = json::parse(text, nullptr, false);
    if (inner.is_structured()) collect(inner, scripts, vectors);
    return;
  }
  if (!value.is_structured()) return;
  for (auto each = value.begin(); each != value.end(); ++each) {
    const bool is_command = value.is_object() && (each.key() == "command" || each.key() == "cmd" ||
                                                  each.key() == "argv");
    if (is_command && each->is_string()) scripts.insert(each->get<std::string>());
    const bool is_vector =
        is_command && each->is_array() && !each->empty() &&
        std::all_of(each->begin(), each->end(), [](const json& word) { return word.is_string(); });
    if (is_vector) vectors.insert(each->get<std::vector<std::string>>());
    collect(*each, scripts, vectors);
  }
}

}  // namespace

TEST_SUITE("guard/check/real_sessions") {
  TEST_CASE("commands of real sessions are read to their ends, and none of them is a false alarm") {
    const fs::path data = fs::path(SPOOR_SOURCE_DIR) / "../shared/data";
    if (!fs::is_directory(data)) {
      MESSAGE("skipped: no sessions at ", data.string());
      return;
    }
    std::set<std::string> scripts;
    std::set<std::vector<std::string>> vectors;
    for (const auto& entry : fs::recursive_directory_iterator(data)) {
      const std::string kind = entry.path().extension();
      if (kind != ".jsonl" && kind != ".json") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      const json whole = json::parse(text, nullptr, false);
      if (!whole.is_discarded()) {
        collect(whole, scripts, vectors);
        continue;
      }
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const json line = json::parse(text.substr(at, end - at), nullptr, false);
        if (!line.is_discarded()) collect(line, scripts, vectors);
        at = end + 1;
      }
    }
    std::size_t commands = 0;
    std::size_t asked = 0;
    const auto look = [&](const Commands& found, const std::string& shown) {
      CAPTURE(shown);
      CHECK(found.is_whole);
      for (const Command& command : found.all) {
        ++commands;
        for (const Host& host : effects_of(command).hosts) {
          ++asked;
          if (std::getenv("SPOOR_SHOW_HOSTS"))
            MESSAGE(host.name, " ", host.port, " | ", command.text());
        }
        const auto reason = destroys(command, "");
        CHECK_MESSAGE(!reason, (reason ? *reason : ""));
      }
    };
    for (const std::string& script : scripts) look(commands_of_script(script, ""), script);
    for (const auto& argv : vectors) look(commands_of_argv(argv, ""), json(argv).dump());
    CHECK(commands > 0);
    MESSAGE(scripts.size(), " scripts and ", vectors.size(), " argument vectors: ", commands,
            " commands, ", asked, " hosts");
  }
}

}  // namespace spoor::guard::check
