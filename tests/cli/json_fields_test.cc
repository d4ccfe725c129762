// The members of each `--json` document, as docs/cli-json.md promises them. A
// member may be added here; one that is gone or renamed breaks someone's program.
#include <doctest/doctest.h>
#include <fstream>

#include "base/json/reader.h"
#include "tests/cli/program.h"

using spoor::test::Program;
namespace json = spoor::json;

namespace {

// The names of an object's members, in order, in one text.
std::string members(const json::Value& object) {
  std::string names;
  for (const json::Member member : object.members()) names += member.key.text() + " ";
  return names;
}

std::string members_of(const std::string& document) {
  const auto parsed = json::parse(document);
  REQUIRE(parsed);
  return members(parsed.value().root());
}

// Of the first element of a list in the document.
std::string members_of_first(const std::string& document, std::string_view list) {
  const auto parsed = json::parse(document);
  REQUIRE(parsed);
  for (const json::Value element : parsed.value().root().find(list).elements()) {
    return members(element);
  }
  return "(empty)";
}

constexpr const char* kEntry =
    "hash type parents depth generation author time model message priority edited summarised "
    "counterfactual tokens tokens_estimated refs ";
constexpr const char* kMessage =
    "role type hash commits text parts tool_calls pictures call_id name is_error priority edited "
    "tokens ";
constexpr const char* kPrompt =
    "commit prompt_hash count tokens tokens_estimated config left_out conflicts messages ";

}  // namespace

TEST_SUITE("cli/json_fields") {
  TEST_CASE("log, and log --stream") {
    Program spoor;
    spoor.make_history();
    CHECK(members_of(spoor.out({"log", "--json"})) == "commits ");
    CHECK(members_of_first(spoor.out({"log", "--json"}), "commits") == kEntry);
    const std::string lines = spoor.out({"log", "--json", "--stream", "-n", "2"});
    CHECK(members_of(lines.substr(0, lines.find('\n'))) == kEntry);
  }

  TEST_CASE("show") {
    Program spoor;
    spoor.make_history();
    CHECK(members_of(spoor.out({"show", "HEAD~3", "--json"})) ==
          std::string(kEntry) +
              "op mode change content_hash content text tool_calls call_id name is_error format "
              "role rationale set tags metadata meta raw attach prompt targets target_list about "
              "sets_priority ");
  }

  TEST_CASE("chat, generate and prompt") {
    Program spoor;
    spoor({"init"});
    const std::string script = spoor.folder.path + "/replies.jsonl";
    std::ofstream(script) << R"({"choices":[{"message":{"content":"a","reasoning":"hm",)"
                             R"("tool_calls":[{"id":"c","function":{"name":"ls"}}]}}]})";
    const std::string made = spoor.out({"chat", "hi", "--model", "scripted/" + script, "--json"});
    CHECK(members_of(made) ==
          "branch before hash reasoning_hash prompt asked model text reasoning format tool_calls "
          "finish_reason usage cost_usd interrupted treatments ");
    CHECK(members_of_first(made, "tool_calls") == "id name arguments ");
    CHECK(members_of(spoor.out({"prompt", "--json"})) ==
          "hash verdict why bundle commit renderer model digest bytes stored treatments body ");
  }

  TEST_CASE("compile and pprint") {
    Program spoor;
    spoor.make_history();
    const std::string compiled = spoor.out({"compile", "--json"});
    CHECK(members_of(compiled) ==
          "commit prompt_hash count tokens tokens_estimated config left_out conflicts coverage "
          "request tools "
          "messages ");
    CHECK(members_of_first(compiled, "messages") == kMessage);
    CHECK(members_of_first(compiled, "left_out") == "hash why ");
    const std::string shown = spoor.out({"pprint", "--json"});
    CHECK(members_of(shown) == kPrompt);
    CHECK(members_of_first(shown, "messages") ==
          "hash role type text tool_calls pictures call_id name is_error edited priority explicit "
          "tokens "
          "tokens_estimated left_out reason ");
  }

  TEST_CASE("gc") {
    Program spoor;
    spoor.make_history();
    spoor({"reset", "HEAD~2"});
    const std::string document = spoor.out({"store", "gc", "--retention", "now", "--json"});
    CHECK(members_of(document) ==
          "commits objects bytes kept folded_operations pruned vacuumed upgraded packed ");
    CHECK(members_of_first(document, "commits") == "hash type time summary ");
  }

  TEST_CASE("archive, and import of one") {
    Program spoor;
    spoor.make_history();
    const std::string file = spoor.folder.path + "/one.archive";
    const std::string written = spoor.out({"store", "archive", file, "--json"});
    CHECK(members_of(written) == "path commits objects bytes refs ");
    CHECK(members_of_first(written, "refs") == "name hash ");
    const std::string read = spoor.out({"import", file, "--json"});
    CHECK(members_of_first(read, "archives") == "path commits objects bytes erased refs ");
  }

  TEST_CASE("erase") {
    Program spoor;
    spoor.make_history();
    const std::string document =
        spoor.out({"store", "erase", "HEAD~2", "--reason", "a slip", "--yes", "--json"});
    CHECK(members_of(document) ==
          "places contents bytes obstacles erased tombstone attest finished ");
    CHECK(members_of_first(document, "places") == "hash kind why of ");
    CHECK(document.find("\"erased\": true") != std::string::npos);
    const std::string gone = spoor.out({"show", "HEAD~2", "--json"});
    CHECK(gone.find("\"is_erased\": true") != std::string::npos);
    CHECK(spoor.out({"show", "HEAD~3", "--json"}).find("\"is_erased\": false") !=
          std::string::npos);
  }

  TEST_CASE("diff") {
    Program spoor;
    spoor.make_history();
    const std::string compared = spoor.out({"diff", "HEAD~3", "HEAD", "--json"});
    CHECK(members_of(compared) ==
          "from to added removed changed unchanged token_delta tokens_estimated messages config ");
    CHECK(members_of_first(compared, "messages") == "change token_delta before after ");
  }

  TEST_CASE("blame and why") {
    Program spoor;
    spoor.make_history();
    const std::string blame = spoor.out({"blame", "--json"});
    CHECK(members_of(blame) == "commit prompt_hash messages ");
    CHECK(members_of_first(blame, "messages") == "message role type preview origins ");
    const auto parsed = json::parse(blame);
    REQUIRE(parsed);
    const json::Value last = [&] {
      json::Value found;
      for (const json::Value m : parsed.value().root().find("messages").elements()) found = m;
      return found;
    }();
    for (const json::Value origin : last.find("origins").elements()) {
      CHECK(members(origin) == "hash type author time said_by edits annotations shown_by sources ");
      for (const json::Value edit : origin.find("edits").elements()) {
        CHECK(members(edit) == "hash type author time ");
      }
    }
    const std::string why = spoor.out({"why", "two files", "--json"});
    CHECK(members_of(why) == "commit phrase occurrences ");
    CHECK(members_of_first(why, "occurrences") ==
          "message role hash brought_by kept_by shown_by sources matches arguments ");
    CHECK(spoor({"why", "nothing of it", "--json"}).status == 1);
  }

  TEST_CASE("reasoning, search and bisect") {
    Program spoor;
    spoor.make_history();
    const std::string thoughts = spoor.out({"reasoning", "--json"});
    CHECK(members_of(thoughts) == "reasoning ");
    CHECK(members_of_first(thoughts, "reasoning") ==
          "hash time author model text matches answer edit ");
    CHECK(members_of_first(spoor.out({"reasoning", "HEAD~4", "--json"}), "reasoning") ==
          "hash time author model text matches answer edit ");
    const std::string found = spoor.out({"search", "files", "--json"});
    CHECK(members_of(found) == "turns ");
    CHECK(members_of_first(found, "turns") ==
          "hash depth type time author message refs matches arguments ");
    CHECK(members_of(spoor.out({"search", "ls will do", "--json", "--stream"})) ==
          "hash depth type time author message refs matches arguments ");
    CHECK(members_of(spoor.out({"bisect", "--good", "HEAD~3", "--json", "--", "true"})) ==
          "good bad first_bad tests skipped ");
  }

  TEST_CASE("status and stats") {
    Program spoor;
    spoor.make_history();
    CHECK(members_of(spoor.out({"status", "--json"})) ==
          "store branch detached head commits recent messages tokens tokens_estimated token_limit "
          "conflicts ");
    CHECK(members_of(spoor.out({"stats", "--json"})) ==
          "commits text_bytes file_bytes first_time last_time input_tokens output_tokens "
          "cached_tokens cache_written_tokens types models tools ends totals ");
  }

  TEST_CASE("remote") {
    Program spoor;
    spoor.out({"init"});
    spoor.out({"remote", "add", "team", "elsewhere"});
    CHECK(members_of(spoor.out({"remote", "--json"})) == "remotes ");
    CHECK(members_of_first(spoor.out({"remote", "list", "--json"}), "remotes") ==
          "name url log_size ");
  }

  TEST_CASE("branch, tag, config and version") {
    Program spoor;
    spoor.make_history();
    spoor({"tag", "v1"});
    CHECK(members_of_first(spoor.out({"branch", "--json"}), "branches") == "name hash current ");
    CHECK(members_of_first(spoor.out({"tag", "--json"}), "tags") == "name hash author time note ");
    CHECK(members_of_first(spoor.out({"config", "--json"}), "settings") ==
          "key value origin help ");
    CHECK(members_of(spoor.out({"config", "author", "--json"})) == "key value origin help ");
    CHECK(members_of(spoor.out({"version", "--json"})) ==
          "version format sqlite foreign_writers_safe landlock seccomp namespaces "
          "libraries ");
  }

  TEST_CASE("checkpoint, prove and verify") {
    Program spoor;
    spoor({"init"});
    spoor({"user", "hello"});
    const std::string checkpoint = spoor.out({"checkpoint", "--json"});
    CHECK(members_of(checkpoint) == "origin size root key note request ");
    CHECK(members_of(spoor.out({"prove", "--json"})) == "path operation index size proof ");
    const std::string proof = spoor.folder.path + "/proof";
    spoor({"prove", "--output", proof});
    const auto parsed = json::parse(checkpoint);
    const std::string key(parsed.value().root().find("key").text());
    CHECK(members_of(spoor.out({"verify", proof, "--key", key, "--json"})) ==
          "proven commit ref operation time actor command origin index size witnesses ");
  }

  TEST_CASE("init and what writes a turn") {
    Program spoor;
    CHECK(members_of(spoor.out({"init", "--json"})) == "path private capture key token_limit ");
    CHECK(members_of(spoor.out({"user", "hello", "--json"})) == "branch before hash ");
    CHECK(members_of(spoor.out({"pin", "HEAD", "--json"})) == "branch before hash ");
    CHECK(members_of(spoor.out({"edit", "HEAD~1", "hi", "--json"})) == "branch before hash ");
  }

  TEST_CASE("rewrites, steps and versions") {
    Program spoor;
    spoor.out({"init"});
    spoor.out({"user", "one"});
    spoor.out({"user", "two"});
    spoor.out({"branch", "side", "HEAD~1"});
    spoor.out({"edit", "HEAD", "two again"});
    CHECK(members_of_first(spoor.out({"versions", "HEAD~1", "--json"}), "versions") ==
          "version hash time author text ");
    CHECK(members_of(spoor.out({"restore", "HEAD~1", "--json"})) == "branch before hash ");
    CHECK(members_of(spoor.out({"amend", "--message", "m", "--json"})) ==
          "branch before hash copies dropped ");
    CHECK(members_of(spoor.out({"reset", "HEAD~1", "--json"})) == "branch before hash ");
    CHECK(members_of(spoor.out({"undo", "--json"})) == "operation command actor refs ");
    CHECK(members_of(spoor.out({"redo", "--json"})) == "operation command actor refs ");
    CHECK(members_of_first(spoor.out({"oplog", "--json"}), "operations") ==
          "operation number time actor command undo refs copies ");
    CHECK(members_of(spoor.out({"compress", "sum", "--to", "HEAD~1", "--json"})) ==
          "branch before hash sources kept ");
    spoor.out({"switch", "side"});
    CHECK(members_of(spoor.out({"merge", "main", "--json"})) ==
          "branch before hash fast_forward conflicts ");
  }
}
