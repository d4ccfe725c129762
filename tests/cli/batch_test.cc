#include "cli/batch/batch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/json/reader.h"
#include "cli/batch/verbs.h"
#include "cli/commands.h"
#include "store/lock_file.h"
#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;
namespace batch = spoor::cli::batch;
namespace operations = spoor::api::operations;
namespace json = spoor::json;

namespace {

using spoor::testing::holds;

// The answers of a stream, one a request, in a new store.
std::vector<std::string> answers(const std::vector<std::string>& requests) {
  Program spoor;
  spoor({"init"});
  std::string input;
  for (const std::string& request : requests) input += request + "\n";
  std::istringstream lines(spoor.out({"batch"}, input));
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

std::string code_of(const std::string& answer) {
  const auto parsed = json::parse(answer);
  REQUIRE(parsed);
  return parsed.value().root().find("error").find("code").text();
}

}  // namespace

TEST_SUITE("cli/batch") {
  TEST_CASE("one answer a request, in order, and an error does not end the stream") {
    const auto lines =
        answers({R"({"op":"user","text":"a"})", "not json", R"({"op":"nosuch"})", "",
                 R"({"id":[1],"op":"status"})", "{\"id\":\"\x1b\",\"op\":\"status\"}"});
    REQUIRE(lines.size() == 5);
    CHECK(holds(lines[0], R"({"result":{"hash":")"));
    CHECK(code_of(lines[1]) == "invalid");
    CHECK(code_of(lines[2]) == "invalid");
    CHECK(lines[3].starts_with(R"({"id":[1],"result":{"branch":"main","detached":false,)"));
    CHECK(lines[4].starts_with(R"({"id":"\u001b","result":)"));
  }

  TEST_CASE("writes that come together are each answered, in order, and each an operation") {
    std::vector<std::string> requests;
    for (int i = 0; i < 300; ++i) {
      const std::string id = std::to_string(i);
      requests.push_back(i % 7 == 3 ? R"({"op":"user","no":1,"id":)" + id + "}"
                                    : R"({"op":"user","text":"a","id":)" + id + "}");
      if (i % 50 == 20) requests.push_back(R"({"op":"status","id":)" + id + "}");
    }
    requests.emplace_back(R"({"op":"log"})");
    const auto lines = answers(requests);
    REQUIRE(lines.size() == requests.size());
    int turns = 0;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      const auto request = json::parse(requests[i]).value();
      const auto answer = json::parse(lines[i]).value();
      CHECK(answer.root().find("id").integer() == request.root().find("id").integer());
      const bool is_wrong = static_cast<bool>(request.root().find("no"));
      CHECK(static_cast<bool>(answer.root().find("error")) == is_wrong);
      turns += !is_wrong && request.root().find("op").text() == "user" ? 1 : 0;
    }
    CHECK(turns == 257);
    int logged = 0;
    const auto log = json::parse(lines.back()).value();
    for (const auto& each : log.root().find("result").find("commits").elements()) {
      logged += each.is_object() ? 1 : 0;
    }
    CHECK(logged == 257);
  }

  TEST_CASE("where the lock cannot be had each write is told so, and what only reads is answered") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "first"});
    spoor::store::LockFile held(spoor.folder.path + "/.spoor-lock", 0600);
    REQUIRE(held.lock());
    spoor.environment.variables["SPOOR_PATIENCE"] = "0";
    std::istringstream lines(spoor.out({"batch"},
                                       "{\"op\":\"user\",\"text\":\"a\",\"id\":1}\n"
                                       "{\"op\":\"user\",\"text\":\"b\",\"id\":2}\n"
                                       "{\"op\":\"status\",\"id\":3}\n"));
    for (const std::string id : {"1", "2", "3"}) {
      std::string line;
      std::getline(lines, line);
      CAPTURE(line);
      CHECK(line.starts_with("{\"id\":" + id));
      CHECK(holds(line, id == "3" ? "\"result\"" : "\"unavailable\""));
    }
  }

  TEST_CASE("the last line needs no line end") {
    Program spoor;
    spoor({"init"});
    CHECK(holds(spoor.out({"batch"}, R"({"op":"status"})"), "\"result\""));
  }

  TEST_CASE("a result can be named and spoken of") {
    const auto lines = answers(
        {R"({"op":"user","text":"old","as":"q"})", R"({"op":"edit","target":"$q","text":"new"})",
         R"({"op":"compile","to":"openai"})", R"({"op":"show","rev":"$x"})"});
    REQUIRE(lines.size() == 4);
    CHECK(holds(lines[2], R"("body":[{"role":"user","content":"new"}])"));
    CHECK(code_of(lines[3]) == "not_found");
  }

  TEST_CASE("a transaction is one operation, all or none") {
    const auto lines = answers(
        {R"({"op":"transaction","ops":[{"op":"user","text":"a","as":"q"},)"
         R"({"op":"assistant","text":"b"},{"op":"annotate","target":"$q","priority":"pinned"}]})",
         R"({"op":"operations"})",
         R"({"op":"transaction","ops":[{"op":"user","text":"c","as":"c"},{"op":"edit","target":"HEAD"}]})",
         R"({"op":"show","rev":"$c"})", R"({"op":"log"})",
         R"({"op":"transaction","ops":[{"op":"log"}]})"});
    REQUIRE(lines.size() == 6);
    CHECK(holds(lines[0], R"("results":[)"));
    CHECK(holds(lines[1], R"("number":1)"));
    CHECK(!holds(lines[1], R"("number":2)"));
    CHECK(code_of(lines[2]) == "invalid");
    CHECK(code_of(lines[3]) == "not_found");
    CHECK(!holds(lines[4], R"("message":"c")"));
    CHECK(code_of(lines[5]) == "invalid");
  }

  TEST_CASE("a transaction is written only if the branches are where it expects them") {
    const auto lines = answers(
        {R"({"op":"transaction","ops":[{"op":"expect","branch":"b"},{"op":"user","text":"a","branch":"b"}]})",
         R"({"op":"transaction","ops":[{"op":"expect","branch":"b","hash":null},{"op":"user","text":"c","branch":"b"}]})",
         R"({"op":"transaction","ops":[{"op":"expect","branch":"b","hash":"b"},{"op":"user","text":"d","branch":"b","as":"d"}]})",
         R"({"op":"expect","branch":"b","hash":"b~1"})",
         R"({"op":"expect","branch":"b","hash":"$d"})", R"({"op":"log","rev":"b"})"});
    REQUIRE(lines.size() == 6);
    CHECK(holds(lines[0], R"("results":[{"branch":"b","hash":null},)"));
    CHECK(code_of(lines[1]) == "conflict");
    CHECK(holds(lines[2], R"("results":[)"));
    CHECK(code_of(lines[3]) == "conflict");
    CHECK(holds(lines[4], R"({"result":{"branch":"b","hash":")"));
    CHECK(!holds(lines[5], R"("c")"));
  }

  TEST_CASE("every kind of turn, and branches written by name") {
    std::vector<std::string> requests;
    for (const char* type : {"system", "user", "assistant", "tool", "reasoning", "artifact",
                             "summary", "note", "decision"}) {
      requests.push_back(std::string(R"({"op":")") + type +
                         R"(","text":"x","branch":"side","call_id":"1","name":"n"})");
    }
    requests.emplace_back(R"({"op":"config","set":{"model":"m","old":null},"branch":"side"})");
    requests.emplace_back(R"({"op":"log","rev":"side","all_commits":true})");
    const auto lines = answers(requests);
    REQUIRE(lines.size() == requests.size());
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      INFO(requests[i]);
      CHECK(holds(lines[i], R"("branch":"side")"));
    }
    CHECK(holds(lines.back(), R"("type":"decision")"));
  }

  TEST_CASE("attachments and contents go through byte for byte") {
    const auto lines = answers(
        {R"({"op":"user","text":"see","attach":[{"media_type":"image/png","base64":"AP/+"}],"as":"u"})",
         R"({"op":"user","text":"see","attach":[{"base64":"A"}]})", R"({"op":"show","rev":"$u"})"});
    REQUIRE(lines.size() == 3);
    CHECK(code_of(lines[1]) == "invalid");
    const auto shown = json::parse(lines[2]);
    std::string hash;
    for (const json::Value item : shown.value().root().find("result").find("attach").elements()) {
      hash = item.find("hash").text();
    }
    const auto content = answers(
        {R"({"op":"user","text":"see","attach":[{"media_type":"image/png","base64":"AP/+"}]})",
         R"({"op":"content","hash":")" + hash + R"("})"});
    CHECK(holds(content[1], R"("bytes":3,"base64":"AP/+")"));
  }

  TEST_CASE("compress and merge") {
    const auto lines =
        answers({R"({"op":"user","text":"a"})", R"({"op":"assistant","text":"b","as":"b"})",
                 R"({"op":"branch","name":"side"})", R"({"op":"user","text":"c","branch":"side"})",
                 R"({"op":"compress","text":"a and b","from":"HEAD~1","to":"$b"})",
                 R"({"op":"merge","source":"side"})", R"({"op":"compile","to":"text"})"});
    REQUIRE(lines.size() == 7);
    CHECK(holds(lines[4], R"("sources":2,"kept":0)"));
    CHECK(holds(lines[5], "\"result\""));
    CHECK(holds(lines[6], "a and b"));
    CHECK(holds(lines[6], "c"));
  }

  TEST_CASE("members are checked: unknown, of the wrong type, missing") {
    const auto lines = answers({R"({"op":"user","txt":"a"})", R"({"op":"user","text":1})",
                                R"({"op":"user"})", R"([])", R"({"op":"log","limit":-1})",
                                R"({"op":"user","text":"a","branch":null})"});
    REQUIRE(lines.size() == 6);
    CHECK(holds(lines[0], "did you mean 'text'?"));
    for (std::size_t i = 0; i < 5; ++i) CHECK(code_of(lines[i]) == "invalid");
    CHECK(holds(lines[5], "\"result\""));
  }

  TEST_CASE("a malformed time is refused, whatever stands beside it") {
    const std::string name = "an author whose name is longer than a string keeps in itself";
    const auto lines =
        answers({R"({"op":"user","text":"a","time":"noon","author":")" + name + R"("})",
                 R"({"op":"search","text":")" + name + R"(","since":"no such time"})"});
    REQUIRE(lines.size() == 2);
    CHECK(code_of(lines[0]) == "invalid");
    CHECK(code_of(lines[1]) == "invalid");
  }

  TEST_CASE("reads: resolve, is_ancestor, refs, ref_at, diff, fsck") {
    const auto lines = answers(
        {R"({"op":"user","text":"a"})", R"({"op":"user","text":"b"})",
         R"({"op":"resolve","rev":"HEAD~1"})", R"({"op":"is_ancestor","ancestor":"HEAD~1"})",
         R"({"op":"refs"})", R"({"op":"ref_at","ref":"refs/heads/main","time":"1970-01-01"})",
         R"({"op":"diff","from":"HEAD~1"})", R"({"op":"fsck"})", R"({"op":"rebuild"})",
         R"({"op":"switch","detach":"HEAD~1"})", R"({"op":"switch","branch":"-"})",
         R"({"op":"set_token_limit","tokens":1})", R"({"op":"user","text":"far too long"})"});
    REQUIRE(lines.size() == 13);
    CHECK(holds(lines[3], "true"));
    CHECK(holds(lines[4], R"("name":"refs/heads/main")"));
    CHECK(holds(lines[5], R"("hash":null)"));
    CHECK(holds(lines[6], R"("added":1,"removed":0)"));
    CHECK(holds(lines[7], R"("sound":true)"));
    CHECK(holds(lines[9], R"("detached":true)"));
    CHECK(holds(lines[10], R"("detached":false)"));
    CHECK(code_of(lines[12]) == "denied");
  }

  TEST_CASE("a command of the shell answers with its JSON document, on one line") {
    Program spoor;
    spoor.make_history();
    const std::string requests = R"({"op":"stats"}
{"id":1,"op":"runs","limit":2}
{"op":"user","text":"web server","as":"q"}
{"op":"why","phrase":"web server","rev":"$q"}
{"op":"blame","rev":"$q","include_reasoning":true}
{"op":"versions","revision":"$nosuch"}
{"op":"debrief","json":true}
{"op":"events","nosuch":1}
{"op":"log","limit":1}
)";
    std::istringstream stream(spoor.out({"batch"}, requests));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    REQUIRE(lines.size() == 9);
    CHECK(lines[0].starts_with(R"({"result":{"commits":)"));
    CHECK(lines[1] == R"({"id":1,"result":{"runs":[]}})");
    CHECK(holds(lines[3], R"("text":"web server")"));
    CHECK(holds(lines[4], R"("preview":"web server")"));
    CHECK(code_of(lines[5]) == "not_found");
    CHECK(lines[6].starts_with(R"({"result":{)"));
    CHECK(holds(lines[7], "'events' has no member 'nosuch'"));
    CHECK(holds(lines[8], R"("commits":[)"));
    const std::string document = spoor.out({"debrief", "--json"});
    const auto parsed = json::parse(document).value();
    const auto answered = json::parse(lines[6]).value();
    CHECK(answered.root().find("result").find("commits").raw() ==
          parsed.root().find("commits").raw());
  }

  TEST_CASE("a command that talks to a person, or is for a script, cannot be run by a program") {
    for (const char* name : {"init", "help", "batch", "quit", "config", "store cat", "store trust",
                             "import", "run", "resume"}) {
      CAPTURE(name);
      CHECK(batch::find_callable(name) == nullptr);
    }
    const auto lines =
        answers({R"({"op":"init"})", R"({"op":"debreif"})",
                 R"({"op":"transaction","ops":[{"op":"stats"}]})", R"({"op":"chat"})",
                 R"({"op":"sessions","stream":true})", R"({"op":"runs","stream":true})"});
    CHECK(holds(lines[0], "'init' cannot be run by a program"));
    CHECK(holds(lines[1], "did you mean 'debrief'?"));
    CHECK(holds(lines[2], "'stats' cannot be part of a transaction"));
    const auto named = answers({R"({"op":"think","text":"so","as":"a"})",
                                R"({"op":"think","text":"and so","as":"b"})",
                                R"({"op":"why","phrase":"so","rev":"$b","include_reasoning":true})",
                                R"({"op":"cherry-pick","rev":["$a..$b"]})"});
    CHECK(holds(named[2], R"("text":"and so")"));
    const auto hidden =
        answers({R"({"op":"user","text":"a\u202eb"})", R"({"op":"why","phrase":"a"})"});
    CHECK(holds(hidden[1], R"(a\u202eb)"));
    CHECK_FALSE(holds(hidden[1], "\u202e"));
    CHECK(code_of(named[3]) != "not_found");
    const auto listed = answers({R"({"op":"user","text":"a","as":"a"})",
                                 R"({"op":"compare","before":"$a","after":"$a"})",
                                 R"({"op":"compare","before":"$nosuch","after":"$a"})",
                                 R"({"op":"compare","before":"$a","after":"$a","json":true})"});
    CHECK(holds(listed[1], R"("result":{)"));
    CHECK(code_of(listed[2]) == "not_found");
    CHECK(holds(listed[3], "'compare' has no member 'json'"));
    CHECK(holds(lines[3], "standard input contains requests"));
    CHECK(code_of(lines[4]) == "invalid");
    CHECK(code_of(lines[5]) == "invalid");
  }

  TEST_CASE("what only reads writes nothing, whatever it answers") {
    Program spoor;
    spoor.make_history();
    const std::string before = spoor.out({"oplog", "--json"});
    std::string requests;
    std::size_t count = 0;
    for (const spoor::cli::Command* command : spoor::cli::all_commands()) {
      if (command->group != spoor::cli::Group::read) continue;
      if (batch::find_callable(command->name) == nullptr) continue;
      for (const char* members : {"", R"(,"revision":"HEAD")", R"(,"text":"x","phrase":"x")"}) {
        requests += R"({"op":")" + std::string(command->name) + '"' + members + "}\n";
        ++count;
      }
    }
    CHECK(count > 40);
    const std::string answers = spoor.out({"batch"}, requests);
    CHECK(static_cast<std::size_t>(std::count(answers.begin(), answers.end(), '\n')) == count);
    CHECK(spoor.out({"oplog", "--json"}) == before);
  }

  TEST_CASE("every operation and member stands in docs/batch.md") {
    std::ifstream file(SPOOR_SOURCE_DIR "/docs/batch.md");
    std::stringstream page;
    page << file.rdbuf();
    for (const spoor::cli::Command* command : spoor::cli::all_commands()) {
      if (batch::find_callable(command->name) == nullptr) continue;
      CHECK_MESSAGE(holds(page.str(), "`" + std::string(command->name) + "`"),
                    std::string(command->name));
    }
    for (const auto table : {operations::reading_operations(), operations::writing_operations()}) {
      for (const operations::Operation& operation : table) {
        CHECK_MESSAGE(holds(page.str(), "`" + std::string(operation.name) + "`"), operation.name);
        for (const operations::Member& member : operation.members) {
          const std::string name = member.name;
          const bool stands =
              holds(page.str(), "`" + name + "`") || holds(page.str(), "**" + name + "**");
          CHECK_MESSAGE(stands, operation.name << " " << name);
        }
      }
    }
  }
}
