// Two captures of one conversation meet at their common front, whichever comes first; nothing that
// either says is lost, and importing them again writes nothing.

#include <doctest/doctest.h>

#include "import/known_turns.h"
#include "tests/import/loss.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::import::KnownLines;
using spoor::import::TextSource;
using Json = nlohmann::json;

namespace {

std::string sample(const std::string& path) {
  return read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import" / path);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string front_lines(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) at = text.find('\n', at) + 1;
  return text.substr(0, at);
}

LossReport import_capture(Repository& repository, std::string_view text,
                          const ImportOptions& options = {}) {
  TextSource source("capture", text);
  auto report = spoor::import::import_source(source, repository, options);
  if (!report) FAIL(report.error().message);
  return std::move(report).value();
}

/// How many commits two lines have in common from their root on.
std::size_t common_front(const Repository& repository, const std::string& one,
                         const std::string& other) {
  const auto a = history(repository, one);
  const auto b = history(repository, other);
  std::size_t count = 0;
  while (count < a.size() && count < b.size() && a[count].oid == b[count].oid) ++count;
  return count;
}

/// Imports `one`, then `other`: they have `common` turns in common, `other` adds `more` of its own.
void check_meeting_of(const std::string& one, const std::string& other, std::size_t common,
                      std::size_t more) {
  const auto repository = Repository::in_memory();
  const LossReport first = import_capture(*repository, one);
  CHECK(first.met_turns == 0);
  const LossReport second = import_capture(*repository, other);
  CHECK(second.is_clean());
  CHECK(second.met_turns == common);
  CHECK(second.new_turns == more);
  CHECK(second.main_ref != first.main_ref);
  CHECK(common_front(*repository, first.main_ref, second.main_ref) == common);
  CHECK(history(*repository, second.main_ref).size() == common + more);
  for (const std::string& lost : lost_values(one, *repository)) FAIL_CHECK(lost);
  for (const std::string& lost : lost_values(other, *repository)) FAIL_CHECK(lost);
  CHECK(repository->store().check().value().empty());

  const std::string refs = refs_text(*repository);
  for (const std::string& text : {one, other}) {
    const LossReport again = import_capture(*repository, text);
    CHECK(again.new_turns == 0);
    CHECK(again.new_notes == 0);
    CHECK(again.main_ref == (text == one ? first.main_ref : second.main_ref));
    CHECK(refs_text(*repository) == refs);
  }

  // What is said is the same as when it is imported alone.
  const auto alone = Repository::in_memory();
  const LossReport whole = import_capture(*alone, other);
  CHECK(whole.met_turns == 0);
  CHECK(prompt_texts(*alone, whole.main_ref) == prompt_texts(*repository, second.main_ref));

  // With every record kept the turns are the same.
  const auto kept = Repository::in_memory();
  import_capture(*kept, one, {.keep_source = true});
  CHECK(import_capture(*kept, other, {.keep_source = true}).met_turns == common);
  CHECK(kept->store().ref(second.main_ref).value() ==
        repository->store().ref(second.main_ref).value());
}

/// Both ways. `one_alone` and `other_alone`: turns that only the one or the other has.
void check_meeting(const std::string& one, const std::string& other, std::size_t common,
                   std::size_t one_alone, std::size_t other_alone) {
  check_meeting_of(one, other, common, other_alone);
  check_meeting_of(other, one, common, one_alone);
}

std::string chat(const std::vector<Json>& messages) { return Json(messages).dump(); }

Json said(const std::string& role, const std::string& text) {
  return {{"role", role}, {"content", text}};
}

}  // namespace

TEST_SUITE("import/captures") {
  TEST_CASE("Claude Code: a session that was resumed as a copy in a new file") {
    const std::string one = fixture("parallel.jsonl");
    const Json last = Json::parse(front_lines(one, 9).substr(front_lines(one, 8).size()));
    std::string other = front_lines(one, 9);
    other = replaced(other, last.at("sessionId").get<std::string>(),
                     "0a0a0a0a-1111-4222-8333-444444444444");
    Json more = Json::parse(front_lines(other, 1));
    more["parentUuid"] = last.at("uuid");
    more["uuid"] = "0b0b0b0b-1111-4222-8333-444444444444";
    more["message"] = said("user", "Look at it from the sea.");
    const auto alone = Repository::in_memory();
    const std::size_t whole = history(*alone, import_capture(*alone, one).main_ref).size();
    const auto front = Repository::in_memory();
    const std::size_t shared = history(*front, import_capture(*front, other).main_ref).size();
    REQUIRE(shared + 1 <= whole);
    check_meeting(one, other + more.dump() + "\n", shared, whole - shared, 1);
  }

  TEST_CASE("Claude Code: the copy has branches, compactions and names of its own") {
    for (const char* name : {"branch.jsonl", "compaction.jsonl", "compaction_kept.jsonl"}) {
      CAPTURE(name);
      const std::string one = fixture(name);
      const std::string session =
          Json::parse(front_lines(one, 1)).at("sessionId").get<std::string>();
      std::string other = replaced(one, session, "0a0a0a0a-1111-4222-8333-444444444444");
      other = replaced(other, "\"uuid\":\"", "\"uuid\":\"copy-");
      other = replaced(other, "\"parentUuid\":\"", "\"parentUuid\":\"copy-");
      for (const char* key : {"logicalParentUuid", "headUuid", "anchorUuid", "tailUuid"}) {
        const std::string quoted = "\"" + std::string(key) + "\":\"";
        if (other.find(quoted) != std::string::npos) {
          other = replaced(other, quoted, quoted + "copy-");
        }
      }
      const auto repository = Repository::in_memory();
      const LossReport first = import_capture(*repository, one);
      const LossReport second = import_capture(*repository, other);
      CHECK(second.new_turns == 0);
      CHECK(second.met_turns == first.new_turns);
      std::vector<Oid> ours, theirs;
      for (const auto& ref : repository->store().refs("refs/heads/").value()) {
        (ref.name.starts_with(second.main_ref) ? theirs : ours).push_back(ref.target);
      }
      CHECK(ours == theirs);
      for (const std::string& lost : lost_values(other, *repository)) FAIL_CHECK(lost);
      const std::string refs = refs_text(*repository);
      CHECK(import_capture(*repository, other).new_notes == 0);
      CHECK(refs_text(*repository) == refs);
    }
  }

  TEST_CASE("Pi: a session that was forked into a new file") {
    const std::string one = sample("pi/session.jsonl");
    std::string other = replaced(front_lines(one, 7), "019f0c11-aa20-7d31-8f00-4f6a1f2e3d4c",
                                 "029f0c11-aa20-7d31-8f00-4f6a1f2e3d4c");
    other +=
        R"({"type":"message","id":"z1","parentId":"b5","timestamp":"2026-05-03T06:00:08.104Z",)"
        R"("message":{"role":"user","content":[{"type":"text","text":"Leave it dark."}]}})"
        "\n";
    const auto repository = Repository::in_memory();
    const LossReport first = import_capture(*repository, one);
    const LossReport second = import_capture(*repository, other);
    CHECK(second.new_turns == 1);
    CHECK(second.met_turns == 7);
    CHECK(common_front(*repository, first.main_ref, second.main_ref) == 7);
    CHECK(import_capture(*repository, other).new_notes == 0);
    for (const std::string& lost : lost_values(other, *repository)) FAIL_CHECK(lost);
  }

  TEST_CASE("Gemini CLI: a chat that was saved under another name") {
    const std::string one = sample("gemini-cli/session.jsonl");
    std::string other = replaced(front_lines(one, 5), "77d0aa31-0001", "88d0aa31-0001");
    other = replaced(other, "11aa-", "22bb-");  // Its messages have other names.
    other += R"({"id":"22bb-user-9","timestamp":"2026-05-03T06:00:31.403Z","type":"user",)"
             R"("content":"Or blue."})"
             "\n";
    const auto alone = Repository::in_memory();
    const auto whole = history(*alone, import_capture(*alone, one).main_ref).size();
    const auto front = Repository::in_memory();
    const auto shared = history(*front, import_capture(*front, other).main_ref).size() - 1;
    check_meeting(one, other, shared, whole - shared, 1);
  }

  TEST_CASE("OpenCode: a fork, whose messages have new names") {
    const std::string one = sample("opencode/session.json");
    std::string text =
        replaced(one, "ses_04c1b2d3effeAbCdEfGhIjKlMn", "ses_14d1b2d3effeZbCdEfGhIj");
    text = replaced(replaced(text, "msg_q", "msg_r"), "prt_0", "prt_7");
    Json other = Json::parse(text);
    Json more = other["messages"][0];
    more["info"]["id"] = "msg_r9";
    more["parts"] = Json::array({{{"type", "text"}, {"text", "And tomorrow?"}, {"id", "prt_799"}}});
    other["messages"].push_back(more);
    const auto alone = Repository::in_memory();
    const auto whole = history(*alone, import_capture(*alone, one).main_ref).size();
    check_meeting(one, other.dump(), whole, 0, 1);
  }

  TEST_CASE("Inspect: the log of a retry, with the samples that were done before") {
    const std::string one = sample("inspect/log.json");
    Json other = Json::parse(replaced(one, "f9WtbTGs0001", "z2WtbTGs0002"));
    other["samples"][1]["messages"].push_back(
        {{"id", "m2z"}, {"role", "user"}, {"content", "So?"}});
    const auto repository = Repository::in_memory();
    const LossReport first = import_capture(*repository, one);
    const LossReport second = import_capture(*repository, other.dump());
    CHECK(second.met_turns == first.new_turns);
    CHECK(second.new_turns == 1);
    CHECK(repository->store().ref("refs/heads/inspect/f9WtbTGs-1-1").value() ==
          repository->store().ref("refs/heads/inspect/z2WtbTGs-1-1").value());
    CHECK(import_capture(*repository, other.dump()).new_notes == 0);
    CHECK(import_capture(*repository, one).new_turns == 0);
    for (const std::string& lost : lost_values(other.dump(), *repository)) FAIL_CHECK(lost);
  }

  TEST_CASE("ATIF: a trajectory that goes on in another file, which repeats its context") {
    const std::string one = sample("atif/trajectory.json");
    Json other = Json::parse(one);
    other["session_id"] = "0c5d7a90-atif-cont-1";
    for (Json& step : other["steps"]) step["extra"] = {{"is_copied_context", true}};
    other["steps"][3]["extra"]["mood"] = "warm";
    other["steps"].push_back({{"step_id", 5}, {"source", "user"}, {"message", "Open the door."}});
    // Both are called by the session's first digits: one branch, grown.
    const auto repository = Repository::in_memory();
    const LossReport first = import_capture(*repository, one);
    const LossReport second = import_capture(*repository, other.dump());
    CHECK(second.met_turns == first.new_turns);
    CHECK(second.new_turns == 1);
    CHECK(second.main_ref == first.main_ref);
    CHECK(history(*repository, second.main_ref).size() == 7);
    const std::string refs = refs_text(*repository);
    CHECK(import_capture(*repository, one).new_notes == 0);
    CHECK(import_capture(*repository, other.dump()).new_notes == 0);
    CHECK(refs_text(*repository) == refs);
    for (const std::string& lost : lost_values(other.dump(), *repository)) FAIL_CHECK(lost);
  }

  TEST_CASE("chat: each line is the whole conversation so far, answers come back in other bytes") {
    const Json system = said("system", "You keep bees."), ask = said("user", "Where is the queen?");
    Json first = said("assistant", "In the third frame.");
    first["refusal"] = nullptr;
    first["annotations"] = Json::array();
    const Json second = said("assistant", "Yes, marked in blue.");
    const Json asked = said("user", "Is she marked?");
    const auto line = [](const std::vector<Json>& messages, const Json& answer, const char* id) {
      return Json{{"messages", messages},
                  {"response",
                   {{"id", id},
                    {"model", "bee-1"},
                    {"choices", Json::array({{{"index", 0}, {"message", answer}}})}}}}
                 .dump() +
             "\n";
    };
    const Json again = said("assistant", "In the third frame.");
    const std::string log =
        line({system, ask}, first, "gen-1") + line({system, ask, again, asked}, second, "gen-2");
    const auto repository = Repository::in_memory();
    const LossReport report = import_capture(*repository, log);
    CHECK(report.new_turns == 5);
    CHECK(report.met_turns == 1);
    CHECK(outline(history(*repository, report.main_ref)) ==
          "system:You keep bees.|user:Where is the queen?|assistant:In the third frame.|"
          "user:Is she marked?|assistant:Yes, marked in blue.");
    std::size_t heads = 0;
    for (const std::string& name : ref_names(*repository)) heads += name.starts_with("refs/heads/");
    CHECK(heads == 1);
    for (const std::string& lost : lost_values(log, *repository)) FAIL_CHECK(lost);
    const LossReport more = import_capture(*repository, log);
    CHECK(more.new_turns + more.new_notes == 0);

    // As files of their own, in either order.
    const std::size_t cut = log.find('\n') + 1;
    for (const bool is_backwards : {false, true}) {
      CAPTURE(is_backwards);
      const auto parts = Repository::in_memory();
      const std::string front = log.substr(0, cut), whole = log.substr(cut);
      import_capture(*parts, is_backwards ? whole : front);
      const LossReport rest = import_capture(*parts, is_backwards ? front : whole);
      CHECK(rest.new_turns == (is_backwards ? 0 : 2));
      for (const std::string& lost : lost_values(log, *parts)) FAIL_CHECK(lost);
      CHECK(import_capture(*parts, front).new_notes == 0);
      CHECK(import_capture(*parts, whole).new_notes == 0);
    }
  }

  TEST_CASE("chat: a call without arguments is the call that comes back with an empty object") {
    const auto call = [](const std::string& arguments) {
      Json message = said("assistant", "");
      message["tool_calls"] = {{{"id", "c1"},
                                {"type", "function"},
                                {"function", {{"name", "look"}, {"arguments", arguments}}}}};
      return message;
    };
    const auto line = [](const std::vector<Json>& messages, const Json& answer) {
      return Json{{"messages", messages},
                  {"response", {{"choices", Json::array({{{"message", answer}}})}}}}
                 .dump() +
             "\n";
    };
    Json result = said("tool", "a hive");
    result["tool_call_id"] = "c1";
    const Json ask = said("user", "What is there?");
    const auto repository = Repository::in_memory();
    const LossReport report = import_capture(
        *repository,
        line({ask}, call("")) + line({ask, call("{}"), result}, said("assistant", "Bees.")));
    CHECK(report.met_turns == 1);
    CHECK(outline(history(*repository, report.main_ref)) ==
          "user:What is there?|assistant:|tool:a hive|assistant:Bees.");
  }

  TEST_CASE("Responses: a request that names the response before it goes on behind that") {
    const auto exchange = [](const std::string& id, const std::string& before,
                             const std::string& ask, const std::string& answer) {
      Json request = {{"model", "fern-5"},
                      {"instructions", "You draw maps."},
                      {"input", ask},
                      {"response", {}}};
      if (!before.empty()) request["previous_response_id"] = before;
      const Json text = {{"type", "output_text"}, {"text", answer}, {"annotations", Json::array()}};
      request["response"] = {{"id", id},
                             {"output", Json::array({{{"type", "message"},
                                                      {"id", "msg_" + id},
                                                      {"role", "assistant"},
                                                      {"content", Json::array({text})}}})}};
      return request.dump() + "\n";
    };
    const std::string one = exchange("resp_1", "", "Where is north?", "Ahead.");
    const std::string two = exchange("resp_2", "resp_1", "And south?", "Behind.");
    const std::string other = exchange("resp_3", "resp_1", "And east?", "To the right.");
    const std::string expected =
        "system:You draw maps.|user:Where is north?|assistant:Ahead.|user:And south?|"
        "assistant:Behind.";
    const auto together = Repository::in_memory();
    const LossReport report = import_capture(*together, one + two + other);
    CHECK(report.new_turns == 7);
    const auto apart = Repository::in_memory();
    for (const std::string& each : {one, two, other, two, one}) import_capture(*apart, each);
    for (const Repository* repository : {together.get(), apart.get()}) {
      std::vector<std::string> outlines;
      for (const auto& ref : repository->store().refs("refs/heads/").value()) {
        outlines.push_back(outline(history(*repository, ref.name)));
      }
      std::sort(outlines.begin(), outlines.end());
      CHECK(outlines ==
            std::vector<std::string>{"system:You draw maps.|user:Where is north?|assistant:Ahead.|"
                                     "user:And east?|assistant:To the right.",
                                     expected});
    }
    const std::string refs = refs_text(*apart);
    const LossReport again = import_capture(*apart, other);
    CHECK(again.new_turns + again.new_notes == 0);
    CHECK(refs_text(*apart) == refs);
  }

  TEST_CASE("Responses: a turn that was met since it was said is where it is now") {
    const auto response = [](const char* id, const char* before, const Json& input,
                             const char* answer) {
      Json made = {{"object", "response"}, {"id", id}, {"input", input}, {"output", Json::array()}};
      if (*before != 0) made["previous_response_id"] = before;
      if (*answer != 0) {
        const Json text = {{"type", "output_text"}, {"text", answer}};
        made["instructions"] = "Be kind.";
        made["output"].push_back(
            {{"type", "message"}, {"role", "assistant"}, {"content", Json::array({text})}});
      }
      return made.dump() + "\n";
    };
    Json hi = said("user", "hi");
    const auto repository = Repository::in_memory();
    import_capture(*repository, response("r1", "", Json::array({hi}), "") +
                                    response("r2", "r1", Json::array(), "hello"));
    hi["zz"] = 1;
    const LossReport other =
        import_capture(*repository, response("r1", "", Json::array({hi}), "") +
                                        response("r2", "r1", Json::array(), "hello") +
                                        response("r3", "r1", Json::array(), "good day"));
    CHECK(other.met_turns == 4);
    CHECK(outline(history(*repository, other.main_ref)) ==
          "user:hi|system:Be kind.|assistant:good day");
  }

  TEST_CASE("Responses: what a run has imported is known where the next source names it") {
    KnownLines lines;
    const ImportOptions options{.lines = &lines};
    const auto exchange = [](const std::string& id, const std::string& before) {
      const Json text = {{"type", "output_text"}, {"text", "a" + id}};
      const Json item = {
          {"type", "message"}, {"role", "assistant"}, {"content", Json::array({text})}};
      return Json{{"object", "response"},
                  {"id", id},
                  {"previous_response_id", before},
                  {"input", "q" + id},
                  {"output", Json::array({item, item})}}
          .dump();
    };
    const auto repository = Repository::in_memory();
    import_capture(*repository, exchange("1", "nobody's"), options);
    import_capture(*repository, exchange("2", "1"), options);
    const LossReport last = import_capture(*repository, exchange("3", "2"), options);
    CHECK(outline(history(*repository, last.main_ref)) ==
          "user:q1|assistant:a1|assistant:a1|user:q2|assistant:a2|assistant:a2|user:q3|"
          "assistant:a3|assistant:a3");
    CHECK(repository->store().refs("refs/heads/").value().size() == 1);
  }

  TEST_CASE("Responses: one that goes on behind another and says nothing is no branch") {
    const std::string one =
        R"({"object":"response","id":"r1","input":"Well?","output":[{"type":"message",)"
        R"("role":"assistant","content":[{"type":"output_text","text":"Dry."}]}]})"
        "\n";
    const std::string none =
        R"({"object":"response","id":"r2","previous_response_id":"r1","input":[],"output":[]})";
    const auto repository = Repository::in_memory();
    const LossReport report = import_capture(*repository, one + none);
    CHECK(repository->store().refs("refs/heads/").value().size() == 1);
    CHECK(outline(history(*repository, report.main_ref)) == "user:Well?|assistant:Dry.");
  }

  TEST_CASE("what two conversations have in common before an answer is no meeting") {
    const Json prompt = said("user", "Mend the tests.");
    const auto session = [&](const char* id, const char* answer) {
      return Json{{"sessionId", id},
                  {"system_prompt", "You mend things."},
                  {"messages", Json::array({prompt, said("assistant", answer)})}}
          .dump();
    };
    const auto repository = Repository::in_memory();
    import_capture(*repository, session("first", "I look at the failing one."));
    const LossReport second = import_capture(*repository, session("second", "Which of them?"));
    CHECK(second.met_turns == 0);
    CHECK(second.new_turns == 3);
    for (const Step& step : history(*repository, second.main_ref)) {
      CHECK(step.turn.facts.text("session") == "second");
    }
    // One that was not answered yet stays what it is, also when the answer comes.
    Json third = Json::parse(session("third", "I look at the failing one."));
    Json begun = third;
    begun["messages"].erase(1);
    CHECK(import_capture(*repository, begun.dump()).met_turns == 0);
    const LossReport grown = import_capture(*repository, third.dump());
    CHECK(grown.met_turns == 0);
    CHECK(grown.new_turns == 1);
    // And one that says the same up to an answer is one conversation.
    CHECK(import_capture(*repository, session("fourth", "Which of them?")).met_turns == 3);
  }

  TEST_CASE("two turns that say the same in one capture are two in the other as well") {
    std::vector<Json> messages = {said("user", "Go on."), said("assistant", "Done."),
                                  said("user", "Go on."), said("assistant", "Done.")};
    const auto repository = Repository::in_memory();
    const auto session = [&](const char* id) {
      return Json{{"sessionId", id}, {"system_prompt", "x"}, {"messages", messages}}.dump();
    };
    import_capture(*repository, session("first"));
    const LossReport second = import_capture(*repository, session("second"));
    CHECK(second.met_turns == 5);
    CHECK(history(*repository, second.main_ref).size() == 5);
  }

  TEST_CASE("a picture is part of what is said") {
    const auto asked = [](const std::string& base64) {
      const Json picture = {{"type", "image_url"},
                            {"image_url", {{"url", "data:image/png;base64," + base64}}}};
      const Json text = {{"type", "text"}, {"text", "What is this?"}};
      return Json{{"role", "user"}, {"content", Json::array({text, picture})}};
    };
    const auto repository = Repository::in_memory();
    import_capture(*repository, chat({asked("aGl2ZQ=="), said("assistant", "A hive.")}));
    const LossReport other =
        import_capture(*repository, chat({asked("YmVlcw=="), said("assistant", "A hive.")}));
    CHECK(other.met_turns == 0);
    CHECK(other.new_turns == 2);
  }

  TEST_CASE("what is known of lines is kept over the sources of a run") {
    KnownLines lines;
    const ImportOptions options{.lines = &lines};
    const auto repository = Repository::in_memory();
    std::size_t met = 0;
    for (const char* id : {"first", "second", "third"}) {
      const std::string text =
          Json{{"sessionId", id},
               {"system_prompt", "x"},
               {"messages", Json::array({said("user", "Go."),
                                         said("assistant", id[0] == 't' ? "Gone." : "Going.")})}}
              .dump();
      met += import_capture(*repository, text, options).met_turns;
      if (id[0] == 's') CHECK(met == 3);
    }
    CHECK(met == 3);
  }
}
