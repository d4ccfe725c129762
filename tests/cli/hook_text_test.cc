#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/recording/hook_text.h"
#include "tests/support/soak.h"

using namespace spoor::cli;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::string_view, 2> kEvents = {"SessionStart", "Stop"};
const std::string kEntry = R"({"hooks": [{"type": "command", "command": "spoor watch"}]})";

// What with_hooks() is to come to, by another reader.
Json expected(Json document) {
  for (const std::string_view event : kEvents) {
    document["hooks"][std::string(event)].push_back(Json::parse(kEntry));
  }
  return document;
}

// Settings of a random shape, with or without hooks of others.
Json random_settings(std::mt19937& random) {
  const auto chance = [&](int of) { return std::uniform_int_distribution<>(1, of)(random) == 1; };
  Json document = Json::object();
  if (chance(2)) document["model"] = "a \"b\" {[,]}\\";
  if (chance(3)) return document;
  document["hooks"] = Json::object();
  for (const char* event : {"Other", "SessionStart", "Stop"}) {
    if (chance(2)) continue;
    document["hooks"][event] = Json::array();
    while (!chance(2)) document["hooks"][event].push_back({{"hooks", {{{"command", "mine"}}}}});
  }
  if (chance(2)) document["env"] = {{"A", nullptr}};
  return document;
}

}  // namespace

TEST_SUITE("cli/hook_text") {
  TEST_CASE("hooks are added where they belong, and every other byte stays") {
    for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
             {"{}\n", "{\n  \"hooks\": {\n    \"SessionStart\": [E],\n    \"Stop\": [E]\n  }\n}\n"},
             {"{\n\t\"a\" : 1\n}",
              "{\n\t\"a\" : 1,\n\t\"hooks\": {\n\t\t\"SessionStart\": [E],\n\t\t\"Stop\": "
              "[E]\n\t}\n}"},
             {"{\n    \"hooks\": {\n        \"Stop\": [\n            1\n        ]\n    }\n}\n",
              "{\n    \"hooks\": {\n        \"Stop\": [\n            1,\n            E\n        "
              "],\n"
              "        \"SessionStart\": [E]\n    }\n}\n"},
             {"{\"hooks\":{\"Stop\":[1],\"SessionStart\":[ ]}}",
              "{\"hooks\":{\"Stop\":[1, E],\"SessionStart\":[\n  E\n]}}"}}) {
      std::string wanted = after;
      for (std::size_t at = wanted.find('E'); at != wanted.npos; at = wanted.find('E', at + 60)) {
        wanted.replace(at, 1, kEntry);
      }
      CHECK(with_hooks(before, kEvents, kEntry).value() == wanted);
    }
  }

  TEST_CASE("what cannot be changed is said") {
    for (const char* text :
         {"", "[]", "{// mine\n}", "{\"hooks\":[]}", "{\"hooks\":{\"Stop\":{}}}"}) {
      CHECK_FALSE(with_hooks(text, kEvents, kEntry));
      CHECK(without_hooks(text, kEvents, kEntry) == text);
    }
  }

  TEST_CASE("settings of any shape: what is added can be taken out, whatever came since") {
    std::mt19937 random(spoor::testing::seeded(42));
    for (int round = 0; round < spoor::testing::rounds(500); ++round) {
      const Json settings = random_settings(random);
      const std::string text = settings.dump(std::uniform_int_distribution<>(-1, 4)(random));
      CAPTURE(text);
      const std::string with = with_hooks(text, kEvents, kEntry).value();
      CHECK(Json::parse(with) == expected(settings));

      // The user adds a hook of their own, and the agent writes the whole file anew.
      Json changed = Json::parse(with);
      changed["hooks"]["Stop"].insert(changed["hooks"]["Stop"].begin(), "theirs");
      changed["last"] = true;
      const std::string again = changed.dump(std::uniform_int_distribution<>(-1, 4)(random));
      Json rest = Json::parse(without_hooks(again, kEvents, kEntry));
      CHECK(rest["hooks"]["Stop"][0] == "theirs");
      rest["hooks"]["Stop"].erase(0);
      rest.erase("last");
      // Lists that had been empty before may be gone.
      const auto pruned = [](Json document) {
        for (const std::string_view event : kEvents) {
          if (!document.contains("hooks")) break;
          const std::string key(event);
          if (document["hooks"].contains(key) && document["hooks"][key].empty()) {
            document["hooks"].erase(key);
          }
        }
        if (document.contains("hooks") && document["hooks"].empty()) document.erase("hooks");
        return document;
      };
      CHECK(Json::parse(pruned(rest).dump()) == Json::parse(pruned(settings).dump()));
      CHECK(pruned(Json::parse(without_hooks(with, kEvents, kEntry))) == pruned(settings));
    }
  }

  TEST_CASE("a member is added to an object of settings, and taken out byte for byte") {
    const std::string value = R"({"command": "/usr/bin/spoor", "args": ["mcp"]})";
    for (const char* text :
         {"{}\n", "{\n  \"a\": 1\n}\n", "{\n\t\"mcpServers\": {\n\t\t\"b\": {}\n\t}\n}",
          "{\"mcpServers\":{\"b\":1}}", "{\"a\":[{}],\"mcpServers\":{\"b\":1},\"c\":2}"}) {
      CAPTURE(text);
      const std::string with = with_member(text, "mcpServers", "spoor", value).value();
      Json wanted = Json::parse(text);
      wanted["mcpServers"]["spoor"] = Json::parse(value);
      CHECK(Json::parse(with) == wanted);
      CHECK(Json::parse(without_member(with, "mcpServers", "spoor", value)) == Json::parse(text));
      const std::string anew = wanted.dump(2);  // As an agent writes its settings.
      CHECK(Json::parse(without_member(anew, "mcpServers", "spoor", value)) == Json::parse(text));
      CHECK_FALSE(with_member(with, "mcpServers", "spoor", value));
      CHECK(without_member(with, "mcpServers", "spoor", "{}") == with);
      CHECK(without_member(text, "mcpServers", "spoor", value) == text);
    }
    for (const char* text : {"", "[]", "{// mine\n}", "{\"mcpServers\":[]}"}) {
      CHECK_FALSE(with_member(text, "mcpServers", "spoor", value));
      CHECK(without_member(text, "mcpServers", "spoor", value) == text);
    }
  }

  TEST_CASE("a table is added at the end of TOML, and taken out byte for byte") {
    const std::string table = "[servers.spoor]\ncommand = \"spoor\"\n";
    for (const std::string text :
         {"", "model = \"a\"\n", "[servers.other]\ncommand = \"b\"\n", "# mine\n\n"}) {
      const std::string with = with_table(text, table).value();
      CHECK(with.ends_with(table));
      CHECK(without_table(with, table) == text);
      CHECK(without_table(with + "\n[later]\n", table) == text + "\n[later]\n");
      CHECK_FALSE(with_table(with, table));
    }
    CHECK(without_table(with_table("a = 1", table).value(), table) == "a = 1\n");
    for (const char* text :
         {"servers = {}\n", "[servers.spoor]\n", "not toml\n", "[servers]\nspoor = 1\n"}) {
      CHECK_FALSE(with_table(text, table));
    }
  }
}
