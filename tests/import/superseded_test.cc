// The end of a source that still grows: it is imported as far as it goes, and a longer copy takes
// its place.

#include <doctest/doctest.h>

#include "import/refs.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::import::superseded;
using spoor::import::TextSource;
using Names = std::vector<std::string>;

namespace {

LossReport import_copy(Repository& repository, std::string_view text) {
  TextSource source("copy", text);
  auto report = spoor::import::import_source(source, repository, {});
  if (!report) FAIL(report.error().message);
  return std::move(report).value();
}

const std::string kFront = codex_record("session_meta", R"("id":"01996f00-0000")") +
                           codex_message("user", "Mark buoy 7.") +
                           codex_message("assistant", "Buoy 7 is marked.");
const std::string kWhole =
    kFront +
    codex_record("event_msg",
                 R"("type":"token_count","info":{"last_token_usage":{"input_tokens":100}})") +
    codex_message("user", "And 8?") + codex_message("assistant", "Done.");
const std::string kLine = "refs/heads/codex/01996f00";

/// A session of Gemini CLI. The model's message is written when it calls, and again with results.
const std::string kGeminiFront =
    R"({"sessionId":"77d0aa31-0001","projectHash":"0f","startTime":"2026-05-02T06:00:00.000Z"})"
    "\n"
    R"({"id":"u1","timestamp":"2026-05-02T06:00:01.000Z","type":"user","content":"Paint it."})"
    "\n";
std::string gemini_answer(const std::string& calls) {
  return R"({"id":"m1","timestamp":"2026-05-02T06:00:02.000Z","type":"gemini",)"
         R"("content":"I paint.","model":"g")" +
         calls + "}\n";
}
const std::string kGeminiCalls =
    R"(,"toolCalls":[{"id":"p1","name":"paint","args":{},"status":"executing"}])";
const std::string kGeminiResults =
    R"(,"toolCalls":[{"id":"p1","name":"paint","args":{},"status":"success",)"
    R"("result":[{"functionResponse":{"id":"p1","name":"paint","response":{"output":"green"}}}]}])";

}  // namespace

TEST_SUITE("import/superseded") {
  TEST_CASE("Codex: the answer without its token count is replaced by the one that has it") {
    const auto repository = Repository::in_memory();
    CHECK(import_copy(*repository, kFront).is_clean());
    CHECK(outline(history(*repository, kLine)) == "user:Mark buoy 7.|assistant:Buoy 7 is marked.");
    import_copy(*repository, kWhole);
    const auto alone = Repository::in_memory();
    import_copy(*alone, kWhole);
    CHECK(refs_text(*repository) == refs_text(*alone));
    CHECK(history(*repository, kLine)[1].turn.facts.json("usage") == R"({"input_tokens":100})");
  }

  TEST_CASE("a shorter copy that is imported later changes nothing") {
    const auto repository = Repository::in_memory();
    import_copy(*repository, kWhole);
    const std::string before = refs_text(*repository);
    const LossReport report = import_copy(*repository, kFront);
    CHECK(refs_text(*repository) == before);
    CHECK(report.main_ref == kLine);
  }

  TEST_CASE(
      "a turn of the user's own on the shorter copy stays, and the longer has the next name") {
    const auto repository = Repository::in_memory();
    import_copy(*repository, kFront);
    Turn own{.text = "My own question."};
    repository->branch("codex/01996f00").commit(own).value();
    import_copy(*repository, kWhole);
    CHECK(outline(history(*repository, kLine)) ==
          "user:Mark buoy 7.|assistant:Buoy 7 is marked.|user:My own question.");
    CHECK(outline(history(*repository, kLine + "-2")) ==
          "user:Mark buoy 7.|assistant:Buoy 7 is marked.|user:And 8?|assistant:Done.");
  }

  TEST_CASE("the operation of the import maps what was replaced") {
    const auto repository = Repository::in_memory();
    import_copy(*repository, kFront);
    const Oid before = repository->store().ref(kLine).value().value();
    import_copy(*repository, kWhole);
    const auto logged = repository->store().newest_operation().value().value();
    const auto operation = spoor::store::parse_operation(logged.body).value();
    REQUIRE(operation.map.size() == 1);
    CHECK(operation.map[0].first == before);
    CHECK(operation.map[0].second == history(*repository, kLine)[1].oid);
  }

  TEST_CASE("Gemini CLI: a call without a result is a call, until a longer copy has its result") {
    const std::string line = "refs/heads/gemini-cli/77d0aa31";
    const auto repository = Repository::in_memory();
    import_copy(*repository, kGeminiFront + gemini_answer(""));
    CHECK(outline(history(*repository, line)) == "user:Paint it.|assistant:I paint.");
    import_copy(*repository, kGeminiFront + gemini_answer("") + gemini_answer(kGeminiCalls));
    const auto called = history(*repository, line);
    REQUIRE(called.size() == 2);
    CHECK(called[1].turn.fields.tool_calls->at(0).name == "paint");
    import_copy(*repository, kGeminiFront + gemini_answer("") + gemini_answer(kGeminiCalls) +
                                 gemini_answer(kGeminiResults));
    CHECK(outline(history(*repository, line)) == "user:Paint it.|assistant:I paint.|tool:green");
    CHECK_FALSE(repository->store().ref(line + "-2").value());
  }

  TEST_CASE("Gemini CLI: a result that is given again in a message of its own is one result") {
    const std::string again =
        R"({"id":"u2","timestamp":"2026-05-02T06:00:03.000Z","type":"user","content":)"
        R"([{"functionResponse":{"id":"p1","name":"paint","response":{"output":"green"}}}]})"
        "\n";
    const auto repository = Repository::in_memory();
    const LossReport report =
        import_copy(*repository, kGeminiFront + gemini_answer(kGeminiResults) + again);
    CHECK(outline(history(*repository, report.main_ref)) ==
          "user:Paint it.|assistant:I paint.|tool:green");
    CHECK(report.duplicates.at("repeated result") == 1);
  }

  TEST_CASE("Gemini CLI: a resumed session goes on in its line, with its surroundings edited") {
    const auto context = [](const std::string& files) {
      return R"({"id":"c1","timestamp":"2026-05-02T06:00:00.000Z","type":"user","content":[)"
             R"({"text":"<session_context>)" +
             files + R"(</session_context>"}]})";
    };
    const auto list = [](const std::string& messages) {
      return R"({"$set":{"messages":[)" + messages + "]}}\n";
    };
    const std::string head = kGeminiFront.substr(0, kGeminiFront.find('\n') + 1);
    const std::string first = head + list(context("a")) + kGeminiFront.substr(head.size()) +
                              gemini_answer(kGeminiResults);
    // The same messages as the API has them, the result twice, and without what they took. In
    // another minute the program begins another file, and lists both forms of calls and results.
    const std::string green =
        R"({"functionResponse":{"id":"p1","name":"paint","response":{"output":"green"}}})";
    std::string both;
    SUBCASE("in its own file") {}
    SUBCASE("in another file") {
      both = R"(,"thoughts":[{"description":"Which one?"}],"toolCalls":[{"id":"p1","name":"paint",)"
             R"("args":{},"status":"success","result":[)" +
             green +
             R"(,{"functionResponse":{"id":"p2","name":"paint","response":{"output":"red"}}}]}])";
    }
    const std::string thought = both.empty() ? "" : R"({"text":"Which one?","thought":true},)";
    const std::string said = R"({"id":"u1","type":"user","content":[{"text":"Paint it."}]},)"
                             R"({"id":"m1","type":"gemini","content":[)" +
                             thought +
                             R"({"text":"I paint."},)"
                             R"({"functionCall":{"id":"p1","name":"paint","args":{}}}])" +
                             both +
                             R"(},)"
                             R"({"id":"m1_response","type":"user","content":[)" +
                             green +
                             R"(]},)"
                             R"({"id":"u2","type":"user","content":[)" +
                             green + "]}";
    const std::string resumed =
        first + head + list(context("a b")) + list(context("a b") + "," + said) +
        R"({"id":"u3","timestamp":"2026-05-02T07:00:00.000Z","type":"user","content":"More."})"
        "\n";
    const auto repository = Repository::in_memory();
    const LossReport report = import_copy(*repository, resumed);
    CHECK(outline(history(*repository, report.main_ref)) ==
          "user:<session_context>a</session_context>|user:Paint it.|assistant:I paint.|tool:green|"
          "edit:<session_context>a b</session_context>|user:More.");
    CHECK(prompt_texts(*repository, report.main_ref).front() ==
          "<session_context>a b</session_context>");
    CHECK(history(*repository, report.main_ref)[0].turn.author.empty());
    CHECK_FALSE(repository->store().ref(report.main_ref + "-2").value());
  }

  TEST_CASE("Kimi: a step that was killed has what was said in it") {
    const std::string text =
        read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import/kimi/wire.jsonl");
    std::string front;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at) + 1;
      const std::string record = text.substr(at, end - at);
      if (record.find("\"step.end\"") != std::string::npos) break;
      front += record;
      at = end;
    }
    const auto repository = Repository::in_memory();
    const LossReport killed = import_copy(*repository, front);
    CHECK(killed.is_clean());
    const auto steps = history(*repository, killed.main_ref);
    CHECK(std::any_of(steps.begin(), steps.end(), [](const Step& step) {
      return step.turn.type == spoor::compile::Type::assistant;
    }));
    import_copy(*repository, text);
    const auto alone = Repository::in_memory();
    import_copy(*alone, text);
    CHECK(refs_text(*repository) == refs_text(*alone));
  }

  TEST_CASE("whatever is cut off a rollout, the rest replaces it") {
    const auto repository = Repository::in_memory();
    for (std::size_t at = kWhole.find('\n'); at != std::string::npos;
         at = kWhole.find('\n', at + 1)) {
      import_copy(*repository, kWhole.substr(0, at + 1));
    }
    const auto alone = Repository::in_memory();
    import_copy(*alone, kWhole);
    CHECK(refs_text(*repository) == refs_text(*alone));
  }

  TEST_CASE("another text, another call or another result is not the same turn with more in it") {
    const auto repository = Repository::in_memory();
    import_copy(*repository, kFront);
    const Oid shorter = repository->store().ref(kLine).value().value();
    const auto is_superseded_by = [&](const std::string& text) {
      auto draft = repository->draft();
      Turn turn = history(*repository, kLine)[1].turn;
      turn.text = text;
      const Oid other = draft->append_to(history(*repository, kLine)[0].oid, turn).value();
      return superseded(*repository, shorter, other, "codex").has_value();
    };
    CHECK(is_superseded_by("Buoy 7 is marked. Buoy 8 too."));
    CHECK_FALSE(is_superseded_by("Buoy 8 is marked."));
    CHECK_FALSE(is_superseded_by("Buoy 7"));
  }

  TEST_CASE("the same turns in another order are not a longer copy") {
    const auto repository = Repository::in_memory();
    import_copy(*repository, kWhole);
    const auto turns = history(*repository, kLine);
    const Oid shorter = repository->store().ref(kLine).value().value();
    auto draft = repository->draft();
    const auto is_superseded_by = [&](std::initializer_list<std::size_t> order) {
      Oid tip = turns[0].oid;
      for (const std::size_t each : order) {
        Turn turn = turns[each].turn;
        turn.text += " More.";
        tip = draft->append_to(tip, turn).value();
      }
      return superseded(*repository, shorter, tip, "codex").has_value();
    };
    CHECK(is_superseded_by({1, 2, 3}));
    CHECK_FALSE(is_superseded_by({2, 3, 1}));
  }
}
