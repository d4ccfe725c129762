#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/commands/answers.h"
#include "api/commands/calls.h"
#include "api/commands/cost.h"
#include "api/commands/file_edits.h"
#include "api/commands/trees.h"
#include "attempts/tree.h"
#include "tests/api/stage.h"

namespace {

using nlohmann::json;
using spoor::api::Command;
using spoor::testing::ApiStage;
using spoor::testing::arguments;

const std::string kSession =
    R"({"type":"user","uuid":"u1","parentUuid":null,"sessionId":"5e551011","cwd":"/home/ada/p","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"user","content":"go"}})"
    "\n"
    R"({"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"5e551011","cwd":"/home/ada/p","timestamp":"2026-03-01T10:00:05.000Z","message":{"id":"m1","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"I make it shorter."},{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/home/ada/p/src/a.c","old_string":"one\ntwo\nthree\n","new_string":"one\n2\nthree\n"}}],"usage":{"input_tokens":7,"output_tokens":3}}})"
    "\n"
    R"({"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"5e551011","timestamp":"2026-03-01T10:00:06.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}})"
    "\n"
    R"({"type":"assistant","uuid":"u4","parentUuid":"u3","sessionId":"5e551011","timestamp":"2026-03-02T10:00:05.000Z","message":{"id":"m2","role":"assistant","model":"claude-opus-4-6","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"rm -r build"}}],"usage":{"input_tokens":11,"output_tokens":2}}})"
    "\n"
    R"({"type":"user","uuid":"u5","parentUuid":"u4","sessionId":"5e551011","timestamp":"2026-03-02T10:00:06.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"no such folder","is_error":true}]}})"
    "\n";

json call(ApiStage& stage, const char* name, const spoor::api::Arguments& with,
          Command::Form form = Command::Form::document) {
  std::string text;
  const Command* command = spoor::api::find_command(name);
  REQUIRE(command != nullptr);
  command
      ->call(stage.context, with, form,
             [&](std::string_view part) {
               text += part;
               return true;
             })
      .value();
  return json::parse(text);
}

// Does `value` have the shape of `schema`? Only the keywords that write_schema() uses.
bool fits(const json& value, const json& schema) {
  if (schema.contains("anyOf")) {
    for (const json& each : schema["anyOf"]) {
      if (fits(value, each)) return true;
    }
    return false;
  }
  const std::string type = schema.at("type");
  if (type == "object") {
    for (const json& name : schema.value("required", json::array())) {
      if (!value.contains(name)) return false;
      if (!fits(value[name.get<std::string>()], schema["properties"][name.get<std::string>()])) {
        return false;
      }
    }
    return value.is_object() &&
           (!schema.contains("properties") || value.size() == schema["properties"].size());
  }
  if (type == "array") {
    for (const json& each : value) {
      if (!fits(each, schema["items"])) return false;
    }
    return value.is_array();
  }
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  return type == "string" && value.is_string();
}

// Makes a tree of three attempts of two models at the head of the stage's session.
spoor::attempts::Tree make_tree(ApiStage& stage, const std::string& dataset) {
  spoor::attempts::Plan plan;
  plan.base = stage.context.workspace.resolve("1").value();
  plan.goal = "do it";
  plan.models = {"a/one", "b/two"};
  plan.count = 3;
  plan.dataset = dataset;
  return spoor::attempts::create_tree(stage.workspace.repository(), plan, {}).value();
}

TEST_SUITE("api/listings") {
  TEST_CASE("calls are found by tool, by expression, by outcome and by time") {
    ApiStage stage;
    stage.import_text("a", kSession);
    const auto all = stage.rows(spoor::api::kCalls);
    REQUIRE(all.size() == 2);
    CHECK(all[0].tool == "Bash");
    CHECK(all[0].target == "rm -r build");
    CHECK(all[0].outcome == "failed");
    CHECK(all[1].tool == "Edit");
    CHECK(all[1].target == "/home/ada/p/src/a.c");
    const auto count = [&](std::initializer_list<std::pair<const char*, const char*>> values) {
      return stage.rows(spoor::api::kCalls, arguments(values)).size();
    };
    CHECK(count({{"--tool", "Bash"}}) == 1);
    CHECK(count({{"--tool", "Bash"}, {"--tool", "Edit"}}) == 2);
    CHECK(count({{"--match", "\\brm\\b"}}) == 1);
    CHECK(count({{"--match", "\"file_path\""}}) == 1);
    CHECK(count({{"--failed", ""}}) == 1);
    CHECK(count({{"--since", "2026-03-02"}}) == 1);
    CHECK(count({{"session", "1"}}) == 2);
    CHECK(count({{"--project", "elsewhere"}}) == 0);
    CHECK(count({{"--limit", "1"}}) == 1);
    const auto brief = stage.rows(spoor::api::kCalls, arguments({{"--brief", ""}}));
    REQUIRE(brief.size() == 2);
    CHECK(brief[0].target == all[0].target);
    CHECK(brief[0].arguments.empty());
    CHECK(!all[0].arguments.empty());
  }

  TEST_CASE("answers are listed by what they cost, generated, were sent or took") {
    const auto said = [](int n, int input, int output) {
      return fmt::format(
          R"({{"type":"assistant","uuid":"a{0}","parentUuid":"{1}","sessionId":"s","timestamp":"2026-03-01T10:0{0}:00.000Z",)"
          R"("cwd":"/p","message":{{"id":"m{0}","role":"assistant","model":"claude-opus-4-6",)"
          R"("content":[{{"type":"text","text":"answer {0}"}}],"usage":{{"input_tokens":{2},"output_tokens":{3}}}}}}})"
          "\n",
          n, n == 1 ? "u" : fmt::format("a{}", n - 1), input, output);
    };
    ApiStage stage;
    stage.import_text(
        "a",
        R"({"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-03-01T10:00:00.000Z",)"
        R"("cwd":"/p","message":{"role":"user","content":"go"}})"
        "\n" +
            said(1, 10, 300) + said(2, 9000, 20) + said(3, 50, 5));
    const auto texts = [&](const char* by, const char* limit = "20") {
      std::string all;
      const auto rows = stage.rows(
          spoor::api::kAnswers, arguments({{"revision", "1"}, {"--by", by}, {"--limit", limit}}));
      for (const auto& row : rows) all += row.text.substr(7);
      return all;
    };
    CHECK(texts("time") == "321");
    CHECK(texts("output") == "123");
    CHECK(texts("prompt") == "231");
    CHECK(texts("cost").starts_with("2"));
    CHECK(texts("duration").size() == 3);
    CHECK(texts("prompt", "1") == "2");
    const auto rows = stage.rows(spoor::api::kAnswers, arguments({{"revision", "1"}}));
    REQUIRE(rows.size() == 3);
    CHECK(rows[2].position == 1);
    CHECK(rows[2].prompt_tokens == 10);
    CHECK(rows[2].duration_ms == 60'000);
  }

  TEST_CASE("what is not an expression is refused with its place") {
    ApiStage stage;
    const spoor::api::CallsQuery query{.match = "("};
    const auto done = spoor::api::kCalls.run(stage.context, query,
                                             [](const spoor::api::CallRow&) { return true; });
    REQUIRE(!done);
    CHECK(done.error().message.starts_with("'(' is not a regular expression: missing )"));
  }

  TEST_CASE("a file is named by the end of its path, and by a path from the working folder") {
    ApiStage stage;
    stage.import_text("a", kSession);
    const auto count = [&](const char* path) {
      return stage.rows(spoor::api::kFile, arguments({{"path", path}})).size();
    };
    CHECK(count("a.c") == 1);
    CHECK(count("src/a.c") == 1);
    CHECK(count("./src/a.c") == 1);
    CHECK(count("/home/ada/p/src/a.c") == 1);
    CHECK(count("c") == 0);
    CHECK(count("rc/a.c") == 0);
    CHECK(count("b.c") == 0);
    stage.context.folder = "/home/ada/p/src";
    CHECK(count("a.c") == 1);
  }

  TEST_CASE("an edit has its reason, its lines and its diff") {
    ApiStage stage;
    stage.import_text("a", kSession);
    const auto rows = stage.rows(spoor::api::kFile, arguments({{"path", "a.c"}}));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].why == "I make it shorter.");
    CHECK(rows[0].lines_added == 1);
    CHECK(rows[0].lines_removed == 1);
    CHECK(rows[0].diff == "@@\n one\n-two\n+2\n three\n");
  }

  TEST_CASE("costs add up to the same by every name") {
    ApiStage stage;
    stage.import_text("a", kSession);
    for (const char* by : {"day", "model", "project", "agent"}) {
      const auto rows = stage.rows(spoor::api::kCost, arguments({{"--by", by}}));
      std::uint64_t input = 0;
      std::int64_t cost = 0;
      for (const auto& row : rows) {
        input += row.input_tokens;
        cost += row.cost_usd.value().nano_dollars;
      }
      CHECK(input == 18);
      // $5 and $25 a million tokens.
      CHECK(cost == 18 * 5'000 + 5 * 25'000);
    }
    const auto days = stage.rows(spoor::api::kCost);
    REQUIRE(days.size() == 2);
    CHECK(days[0].day == "2026-03-02");
    CHECK(days[1].day == "2026-03-01");
    CHECK(stage.rows(spoor::api::kCost, arguments({{"--since", "2026-03-02"}})).size() == 1);
  }

  TEST_CASE("trees are listed from the newest on, by data set, too") {
    ApiStage stage;
    stage.import_text("a", kSession);
    CHECK(stage.rows(spoor::api::kTrees).empty());
    const auto first = make_tree(stage, "");
    stage.clock->advance(1);
    const auto second = make_tree(stage, "set");
    const auto rows = stage.rows(spoor::api::kTrees);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].tree == second.id);
    CHECK(rows[1].tree == first.id);
    CHECK(rows[0].base == first.plan.base);
    CHECK(rows[0].goal == "do it");
    CHECK(rows[0].models == std::vector<std::string>{"a/one", "b/two"});
    CHECK(rows[0].attempts == 6);
    CHECK(rows[0].ended == 0);
    CHECK(rows[0].judged == 0);
    CHECK(!rows[0].cost_usd);
    const auto of_set = stage.rows(spoor::api::kTrees, arguments({{"--dataset", "set"}}));
    REQUIRE(of_set.size() == 1);
    CHECK(of_set[0].tree == second.id);
    CHECK(stage.rows(spoor::api::kTrees, arguments({{"--dataset", "other"}})).empty());
    CHECK(stage.rows(spoor::api::kTrees, arguments({{"--limit", "1"}})).size() == 1);
    CHECK(stage.rows(spoor::api::kTrees, arguments({{"--limit", "0"}})).empty());
  }

  TEST_CASE("every command's result has the shape of its schema") {
    ApiStage stage;
    stage.import_text("a", kSession);
    make_tree(stage, "");
    for (const Command& command : spoor::api::commands()) {
      CAPTURE(command.name);
      spoor::api::Arguments with;
      for (const auto& parameter : command.parameters) {
        if (!parameter.is_positional()) continue;
        if (parameter.name == std::string_view("query")) {
          with.add("query", "SELECT 1 AS one");
          continue;
        }
        with.add(parameter.name, parameter.takes == spoor::api::Takes::path ? "src/a.c" : "1");
      }
      const json schema = json::parse(command.schema());
      const json result = call(stage, command.name, with);
      CHECK(fits(result, schema));
      CHECK(result == call(stage, command.name, with, Command::Form::compact));
      CHECK((command.name == std::string_view("compare") || result.begin().value().size() > 0));
    }
  }

  // With SPOOR_UPDATE_TRANSCRIPTS=1 the files are written anew: read the diff.
  TEST_CASE("docs/schema/ has the schema of every command") {
    for (const Command& command : spoor::api::commands()) {
      const std::string path = fmt::format(SPOOR_SOURCE_DIR "/docs/schema/{}.json", command.name);
      if (std::getenv("SPOOR_UPDATE_TRANSCRIPTS") != nullptr) {
        std::ofstream(path) << command.schema();
      }
      std::ifstream file(path);
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      CHECK_MESSAGE(text == command.schema(), path);
    }
  }

  TEST_CASE("a listing that is stopped ends without an error") {
    ApiStage stage;
    stage.import_text("a", kSession);
    int parts = 0;
    spoor::api::find_command("calls")
        ->call(stage.context, {}, Command::Form::lines,
               [&](std::string_view) { return ++parts < 1; })
        .value();
    CHECK(parts == 1);
  }

  TEST_CASE("parameters are read from JSON by the same table") {
    const Command& calls = *spoor::api::find_command("calls");
    const auto read = [&](const std::string& text) {
      const auto document = spoor::json::parse(text).value();
      return spoor::api::read_arguments(calls.name, calls.parameters, document.root());
    };
    const auto good = read(R"({"op":"calls","session":["1","2"],"failed":true,"limit":5})");
    REQUIRE(good);
    CHECK(good.value().all("session").size() == 2);
    CHECK(good.value().has("--failed"));
    CHECK(good.value().number("--limit", 0) == 5);
    CHECK(!read(R"({"failed":false})").value().has("--failed"));
    CHECK(!read(R"({"since":null})").value().has("--since"));
    CHECK(read(R"({"limit":-1})").error().message == "'--limit' takes a number, not '-1'");
    CHECK(read(R"({"failed":"yes"})").error().message == "'failed' must be true or false");
    CHECK(read(R"({"nosuch":1})").error().message == "'calls' has no member 'nosuch'");
    const auto document = spoor::json::parse(std::string_view("{}")).value();
    const auto missing = spoor::api::read_arguments(
        "file", spoor::api::find_command("file")->parameters, document.root());
    CHECK(missing.error().message == "'file' needs a member 'path'");
  }
}

}  // namespace
