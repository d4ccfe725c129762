#include <doctest/doctest.h>

#include <atomic>
#include <clocale>
#include <cstdlib>
#include <ctime>

#include "base/base64.h"
#include "llm/item_shape.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::compile::kind_of;
using spoor::import::total;
using spoor::llm::provider_items;
using spoor::store::Op;
using spoor::store::Type;
using Names = std::vector<std::string>;

namespace {

const std::string kHeads = "refs/heads/claude-code/";
const std::string kSources = "refs/sources/claude-code/";

std::vector<Step> import_fixture(Repository& repository, const std::string& name) {
  const LossReport report = import_text(repository, fixture(name));
  REQUIRE(report.is_clean());
  return history(repository, report.main_ref);
}

/// A turn record; `content` is JSON, an empty parent none.
std::string record_of(const std::string& type, const std::string& name, const std::string& parent,
                      const std::string& content, const std::string& message_id = {}) {
  const std::string id = message_id.empty() ? "" : R"("id":")" + message_id + R"(",)";
  return R"({"parentUuid":)" + (parent.empty() ? "null" : '"' + parent + '"') +
         R"(,"sessionId":"0f0e0d0c-1111","type":")" + type + R"(","uuid":")" + name +
         R"(","message":{)" + id + R"("role":")" + type + R"(","content":)" + content + "}}\n";
}

std::string call_of(const std::string& id) {
  return R"([{"type":"tool_use","id":")" + id + R"(","name":"Read","input":{}}])";
}

std::string result_of(const std::string& id, const std::string& text) {
  return R"([{"tool_use_id":")" + id + R"(","type":"tool_result","content":")" + text + R"("}])";
}

}  // namespace

TEST_SUITE("import/claude_code") {
  TEST_CASE("a result that is written before its call stands behind it") {
    const std::string ask = record_of("user", "u1", "", R"("Read both.")");
    const std::string first = record_of("assistant", "a1", "u1", call_of("c1"), "m1");
    const std::string second = record_of("assistant", "a2", "a1", call_of("c2"), "m1");
    const std::string one = record_of("user", "r1", "a1", result_of("c1", "one"));
    const std::string two = record_of("user", "r2", "a2", result_of("c2", "two"));
    const std::string say =
        record_of("assistant", "a3", "r2", R"([{"type":"text","text":"Both."}])");
    const auto sound = Repository::in_memory();
    const auto early = Repository::in_memory();
    const LossReport there = import_text(*sound, ask + first + second + two + one + say);
    const LossReport got = import_text(*early, ask + two + first + second + one + say);
    CHECK(outline(history(*early, got.main_ref)) ==
          "user:Read both.|assistant:|assistant:|tool:two|tool:one|assistant:Both.");
    CHECK(refs_text(*early) == refs_text(*sound));
    CHECK(got.missing_parents == 0);
  }

  TEST_CASE("an answer that is written before its question stands behind it") {
    const auto timed = [](std::string record, const std::string& time) {
      return record.insert(1, R"("timestamp":"2026-11-28T06:25:)" + time + R"(Z",)");
    };
    const std::string hint = R"({"type":"attachment","uuid":"h1","parentUuid":"u1"})"
                             "\n";
    const std::string ask = timed(record_of("user", "u1", "", R"("Read it.")"), "01.000");
    const std::string call =
        timed(record_of("assistant", "a1", "h1", call_of("c1"), "m1"), "01.100");
    const std::string one = timed(record_of("user", "r1", "a1", result_of("c1", "one")), "01.200");
    const std::string next = timed(record_of("user", "u2", "r1", R"("Again.")"), "02.000");
    const std::string lost = timed(record_of("user", "r2", "?", result_of("c2", "two")), "01.900");
    const auto sound = Repository::in_memory();
    const auto early = Repository::in_memory();
    const LossReport there = import_text(*sound, ask + hint + call + one + lost + next);
    const LossReport got = import_text(*early, call + ask + hint + one + lost + next);
    CHECK(outline(history(*early, got.main_ref)) ==
          "user:Read it.|assistant:|tool:one|tool:two|user:Again.");
    CHECK(refs_text(*early) == refs_text(*sound));
    CHECK(got.missing_parents == there.missing_parents);
  }

  TEST_CASE("a result waits for the call that it names, though its parent is here") {
    const std::string ask = record_of("user", "u1", "", R"("Read it.")");
    const std::string say =
        record_of("assistant", "a1", "u1", R"([{"type":"text","text":"Yes."}])", "m1");
    const std::string call = record_of("assistant", "a2", "a1", call_of("c1"), "m1");
    const std::string result = record_of("user", "r1", "a1", result_of("c1", "one"));
    const auto repository = Repository::in_memory();
    const LossReport got = import_text(*repository, ask + say + result + call);
    CHECK(outline(history(*repository, got.main_ref)) ==
          "user:Read it.|assistant:Yes.|assistant:|tool:one");
  }

  TEST_CASE("a turn whose parent never comes goes to the end of its line, and is counted") {
    const std::string lost =
        record_of("assistant", "a9", "gone", R"([{"type":"text","text":"Late."}])", "m9");
    const std::string ask = record_of("user", "u1", "", R"("Hello?")");
    const std::string more = record_of("user", "u2", "u1", R"("Anybody?")");
    const auto repository = Repository::in_memory();
    const LossReport got = import_text(*repository, ask + lost + more);
    CHECK(got.missing_parents == 1);
    CHECK(got.turn_records == 3);
    CHECK(outline(history(*repository, got.main_ref)) ==
          "user:Hello?|assistant:Late.|user:Anybody?");
    const auto at_end = Repository::in_memory();
    CHECK(import_text(*at_end, ask + lost).turn_records == 2);
  }

  TEST_CASE("what the user typed while the model was at work is a turn, and no branch") {
    const auto queued = [](const std::string& name, const std::string& parent,
                           const std::string& rest) {
      return R"({"parentUuid":")" + parent +
             R"(","sessionId":"0f0e0d0c-1111","type":"attachment","uuid":")" + name +
             R"(","attachment":{"type":"queued_command",)" + rest + "}}\n";
    };
    const std::string text =
        record_of("user", "u1", "", R"("Read it.")") +
        record_of("assistant", "a1", "u1", call_of("c1"), "m1") +
        record_of("user", "r1", "a1", result_of("c1", "one")) +
        queued("q1", "r1",
               R"("prompt":"The other too.","commandMode":"prompt","source_uuid":"s7")") +
        queued("q2", "r1", R"("prompt":"A task is done.","commandMode":"task-notification")") +
        record_of("assistant", "a2", "q2", R"([{"type":"text","text":"Both."}])", "m2");
    const auto repository = Repository::in_memory();
    const LossReport got = import_text(*repository, text);
    CHECK(got.refs.size() == 1);
    const auto steps = history(*repository, got.main_ref);
    CHECK(outline(steps) ==
          "user:Read it.|assistant:|tool:one|user:The other too.|user:A task is "
          "done.|assistant:Both.");
    CHECK(steps.at(3).turn.author == "user");
    REQUIRE(steps.at(3).turn.attach.size() == 1);
    CHECK(steps.at(3).turn.attach[0].bytes.find("s7") != std::string::npos);
    CHECK(steps.at(3).turn.attach[0].bytes.find("The other") == std::string::npos);
    CHECK(steps.at(4).turn.author.empty());
  }

  TEST_CASE("a prompt that was absorbed in the middle of a turn is told once") {
    const auto removed = [](const std::string& prompt, const std::string& rest) {
      return R"({"type":"queue-operation","operation":"remove","sessionId":"0f0e0d0c-1111",)"
             R"("content":")" +
             prompt + "\"" + rest + "}\n";
    };
    const auto told = [](const std::string& prompt) {
      return R"({"type":"attachment","parentUuid":"r1","sessionId":"0f0e0d0c-1111",)"
             R"("attachment":{"type":"queued_command","prompt":")" +
             prompt + "\"}}\n";
    };
    const std::string front = record_of("user", "u1", "", R"("Read it.")") +
                              record_of("assistant", "a1", "u1", call_of("c1"), "m1") +
                              record_of("user", "r1", "a1", result_of("c1", "one"));
    const std::string say = record_of("assistant", "a2", "r1", R"("Yes.")", "m2");
    const std::string absorbed = R"(,"reason":"absorbed_mid_turn")";
    const auto outline_of = [&](const std::string& between) {
      const auto repository = Repository::in_memory();
      const LossReport got = import_text(*repository, front + between + say);
      return outline(history(*repository, got.main_ref));
    };
    const std::string once = "user:Read it.|assistant:|tool:one|user:Quick.|assistant:Yes.";
    CHECK(outline_of(removed("Quick.", absorbed)) == once);
    CHECK(outline_of(removed("Quick.", absorbed) + told("Quick.")) == once);
    CHECK(outline_of(told("Quick.") + removed("Quick.", absorbed)) == once);
    CHECK(outline_of(removed("Quick.", "")) == once);
    CHECK(outline_of(removed("Quick.", "") + record_of("user", "u2", "r1", R"("Quick.")")) == once);
    const std::string never = "user:Read it.|assistant:|tool:one|assistant:Yes.";
    CHECK(outline_of(removed("Quick.", R"(,"reason":"withdrawn")")) == never);
    CHECK(outline_of(removed("Quick.", R"(,"version":"2.1.250")")) == never);
    CHECK(outline_of(told("One.") + removed("Quick.", "")) ==
          "user:Read it.|assistant:|tool:one|user:One.|assistant:Yes.");
  }

  TEST_CASE("a stream is a session, and what a subagent says there is a sidechain") {
    const auto streamed = [](const std::string& type, const std::string& content,
                             const std::string& call = {}) {
      return R"({"type":")" + type + R"(","session_id":"0f0e0d0c-1111","parent_tool_use_id":)" +
             (call.empty() ? "null" : '"' + call + '"') + R"(,"message":{"role":")" + type +
             R"(","content":)" + content + "}}\n";
    };
    const std::string text =
        R"({"type":"system","subtype":"init","session_id":"0f0e0d0c-1111","tools":["Read"]})"
        "\n" +
        streamed("user", R"("Read it.")") + streamed("assistant", call_of("c1")) +
        streamed("user", R"("Look.")", "c1") + streamed("assistant", R"("Seen.")", "c1") +
        streamed("user", result_of("c1", "one")) + streamed("assistant", R"("Yes.")") +
        R"({"type":"result","subtype":"success","session_id":"0f0e0d0c-1111"})"
        "\n";
    CHECK(importers_of(text) == "claude-code ");
    const auto repository = Repository::in_memory();
    const LossReport got = import_text(*repository, text);
    CHECK(got.main_ref == kHeads + "0f0e0d0c");
    CHECK(got.unknown.empty());
    CHECK(outline(history(*repository, got.main_ref)) ==
          "user:Read it.|assistant:|tool:one|assistant:Yes.");
    CHECK(outline(history(*repository, kHeads + "0f0e0d0c-agent-c1")) ==
          "user:Look.|assistant:Seen.");
  }

  TEST_CASE("in a stream the turn that the program writes after a compact boundary is a summary") {
    const auto streamed = [](const std::string& name, const std::string& content,
                             const std::string& rest) {
      return R"({"type":"user","session_id":"0f0e0d0c-1111","parent_tool_use_id":null,"uuid":")" +
             name + R"(","message":{"role":"user","content":")" + content + "\"}" + rest + "}\n";
    };
    const std::string text =
        streamed("u1", "Read it.", "") +
        R"({"type":"system","subtype":"compact_boundary","session_id":"0f0e0d0c-1111",)"
        R"("uuid":"b","compact_metadata":{"trigger":"auto","pre_tokens":9}})"
        "\n" +
        streamed("u2", "So far.", R"(,"isSynthetic":true)") + streamed("u3", "On.", "");
    const auto repository = Repository::in_memory();
    const LossReport got = import_text(*repository, text);
    CHECK(prompt_texts(*repository, got.main_ref) == Names{"So far.", "On."});
  }

  TEST_CASE("a session of the web is one document with the same records") {
    const std::string ask = record_of("user", "u1", "", R"("Read it.")");
    const std::string say = record_of("assistant", "a1", "u1", R"("Yes.")", "m1");
    const auto lines = Repository::in_memory();
    const LossReport there = import_text(*lines, ask + say);
    const std::string text = "{\"loglines\": [\n" + ask + "," + say + "],\n\"title\": \"T\"}\n";
    CHECK(importers_of(text) == "claude-code ");
    const auto web = Repository::in_memory();
    const LossReport got = import_text(*web, text);
    CHECK(web->store().ref(got.main_ref).value() == lines->store().ref(there.main_ref).value());
    CHECK(got.kept == LossReport::Counts{{"session", 1}});
  }

  TEST_CASE("the result of a search for tools names the tools that it found") {
    const std::string found = R"([{"type":"tool_result","tool_use_id":"c1","content":)"
                              R"([{"type":"tool_reference","tool_name":"tide"},)"
                              R"({"type":"tool_reference","tool_name":"moon"}]}])";
    const auto repository = Repository::in_memory();
    const LossReport got =
        import_text(*repository, record_of("user", "u1", "", R"("Which tide?")") +
                                     record_of("assistant", "a1", "u1", call_of("c1"), "m1") +
                                     record_of("user", "r1", "a1", found));
    const auto steps = history(*repository, got.main_ref);
    CHECK(outline(steps) == "user:Which tide?|assistant:|tool:tide\nmoon");
    CHECK("[" + provider_items(steps[2].turn).value().at(0) + "]" == found);
  }

  TEST_CASE("an answer of nothing is a turn without items that has its tokens") {
    const std::string answer =
        R"({"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"0f0e0d0c-1111",)"
        R"("message":{"id":"m1","role":"assistant","content":[],"usage":{"input_tokens":9}}})"
        "\n";
    const auto repository = Repository::in_memory();
    const LossReport got =
        import_text(*repository, record_of("user", "u1", "", R"("Well?")") + answer);
    const auto steps = history(*repository, got.main_ref);
    REQUIRE(outline(steps) == "user:Well?|assistant:");
    CHECK(steps[1].turn.facts.json("usage") == R"({"input_tokens":9})");
    CHECK(provider_items(steps[1].turn).value().empty());
  }

  TEST_CASE("a call and a result in records of their own are a call and its result") {
    const auto repository = Repository::in_memory();
    const std::string call =
        R"({"type":"tool_use","sessionId":"0f0e0d0c-1111","name":"bash","input":{"command":"ls"},)"
        R"("uuid":"t1"})";
    const LossReport got = import_text(
        *repository, record_of("user", "u1", "", R"("List.")") + call + "\n" +
                         R"({"type":"tool_result","sessionId":"0f0e0d0c-1111","name":"bash",)"
                         R"("output":"a b","uuid":"t2"})" +
                         "\n");
    const auto steps = history(*repository, got.main_ref);
    CHECK(outline(steps) == "user:List.|assistant:|tool:a b");
    REQUIRE(steps.at(1).turn.fields.tool_calls);
    CHECK(steps.at(1).turn.fields.tool_calls->at(0).arguments == R"({"command":"ls"})");
    CHECK(steps.at(1).turn.author.empty());
    CHECK(steps.at(1).turn.fields.tool_calls->at(0).id == "t1");
    CHECK(steps.at(2).turn.fields.call_id == "t1");
    CHECK(provider_items(steps.at(1).turn).value() == Names{call});
  }

  TEST_CASE("waiting for a parent is bounded") {
    std::string text = record_of("user", "u1", "", R"("Go.")");
    std::string parent = "gone";
    for (int i = 0; i < 200; ++i) {
      const std::string name = "a" + std::to_string(i);
      text += record_of("assistant", name, parent, R"([{"type":"text","text":"x"}])", name);
      parent = name;
    }
    const auto repository = Repository::in_memory();
    const LossReport got = import_text(*repository, text);
    CHECK(got.turn_records == 201);
    CHECK(got.missing_parents == 1);
    CHECK(history(*repository, got.main_ref).size() == 201);
  }

  TEST_CASE("a session becomes one line of turns in file order") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "plain.jsonl");
    std::string types;
    for (const Step& step : steps) types += std::string(kind_of(step.commit)) + " ";
    CHECK(types ==
          "user reasoning assistant assistant tool reasoning assistant tool assistant tool "
          "assistant user assistant ");
  }

  TEST_CASE("a reasoning keeps its raw block byte for byte, with an empty text too") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "plain.jsonl");
    const std::string source = fixture("plain.jsonl");
    REQUIRE(steps[5].turn.type == Type::reasoning);
    CHECK(steps[5].turn.text.empty());
    CHECK(steps[5].turn.fields.format == "anthropic");
    for (const std::size_t i : {1U, 5U}) {
      REQUIRE(steps[i].turn.raw.size() == 1);
      const std::string& raw = steps[i].turn.raw[0].bytes;
      CHECK(raw.starts_with(R"({"type":"thinking","thinking":")"));
      CHECK(source.find("[" + raw + "]") != std::string::npos);
    }
  }

  TEST_CASE("a call keeps its arguments as they came, its result the call's id") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "plain.jsonl");
    REQUIRE(steps[3].turn.fields.tool_calls);
    const auto& call = steps[3].turn.fields.tool_calls->at(0);
    CHECK(call.id == "toolu_01Grep");
    CHECK(call.name == "Grep");
    CHECK(call.arguments == R"({"pattern":"localtime|utc","path":"src"})");
    CHECK(steps[4].turn.fields.call_id == "toolu_01Grep");
    CHECK_FALSE(steps[4].turn.fields.is_error);
    CHECK(steps[9].turn.fields.is_error);
    CHECK(steps[9].turn.text.starts_with("Exit code 1"));
  }

  TEST_CASE("facts come from the source, usage on a record's last commit only") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "plain.jsonl");
    const auto& facts = steps[2].turn.facts;
    CHECK(facts.text("source") == "claude-code");
    CHECK(facts.text("provider") == "anthropic");
    CHECK(facts.text("model") == "claude-sonnet-4-5-20250929");
    CHECK(facts.text("message_id") == "msg_01TideA");
    CHECK(facts.text("session") == "5b0e7c1a-3d42-4f6e-9a10-c7b2d8e4f901");
    CHECK(facts.text("cwd") == "/home/dev/tidewatch");
    CHECK(facts.text("git_branch") == "main");
    CHECK(facts.text("agent_version") == "2.1.31");
    CHECK(facts.text("request_id") == "req_01TideA");
    CHECK(steps[2].commit.time->text() == "2026-03-02T09:14:28.548000Z");
    CHECK(steps[2].commit.author == "claude-sonnet-4-5-20250929");
    CHECK(steps[0].commit.author == "user");
    CHECK(steps[4].commit.author.empty());
    CHECK(steps[3].turn.facts.text("finish_reason") == "tool_use");
    CHECK(steps[3].turn.facts.json("usage").find(R"("output_tokens":143)") != std::string::npos);
    CHECK(steps[0].turn.facts.json("thinking_metadata") ==
          R"({"disabled":false,"level":"high","triggers":[]})");

    const auto other = Repository::in_memory();
    const auto several = import_fixture(*other, "results.jsonl");
    CHECK(several[1].turn.facts.json("usage").empty());
    CHECK_FALSE(several[2].turn.facts.json("usage").empty());
    CHECK(several[1].turn.facts.text("message_id") == several[2].turn.facts.text("message_id"));
  }

  TEST_CASE("the report cuts a long key between characters") {
    std::string text = fixture("plain.jsonl");
    std::string key = "a";
    for (int i = 0; i < 40; ++i) key += "é";
    text.insert(text.find("\"toolUseResult\""), '"' + key + "\":1,");
    const auto repository = Repository::in_memory();
    CHECK(import_text(*repository, text).attached.at(key) == 1);
  }

  TEST_CASE("what a turn says again is dropped, what only the record says is attached") {
    const auto repository = Repository::in_memory();
    const LossReport report = import_text(*repository, fixture("plain.jsonl"));
    const auto steps = history(*repository, report.main_ref);
    CHECK(report.repeated_facts.at("toolUseResult") == 1);  // The error text.
    CHECK(report.attached.at("toolUseResult") == 2);
    REQUIRE(steps[7].turn.attach.size() == 1);
    CHECK(steps[7].turn.attach[0].media_type == "application/json");
    const std::string& rest = steps[7].turn.attach[0].bytes;
    CHECK(rest.starts_with(R"({"toolUseResult":{"originalFile":"from datetime)"));
    CHECK(rest.find("structuredPatch") != std::string::npos);
    CHECK(rest.find("oldString") == std::string::npos);
    CHECK(steps[4].turn.attach[0].bytes ==
          R"({"toolUseResult":{"mode":"content","numFiles":0,"numLines":2}})");
    CHECK(steps[9].turn.attach.empty());
  }

  TEST_CASE("records that are no turns are notes on the sources ref, verbatim") {
    const auto repository = Repository::in_memory();
    const std::string text = fixture("plain.jsonl");
    const LossReport report = import_text(*repository, text);
    const auto notes = history(*repository, kSources + "5b0e7c1a-3d42-4f6e-9a10-c7b2d8e4f901");
    REQUIRE(notes.size() == 4);
    for (const Step& note : notes) {
      CHECK(note.turn.type == Type::note);
      CHECK(note.commit.author.empty());
      CHECK(text.find(note.turn.text + "\n") != std::string::npos);
    }
    CHECK(notes[1].commit.time->text().starts_with("2026-03-02T09:14:14"));
    CHECK_FALSE(notes[0].commit.time);
    CHECK(report.kept.at("progress/hook_progress") == 1);
    CHECK(report.kept.at("system/turn_duration") == 1);
    CHECK(report.duplicates.at("last-prompt") == 1);
    CHECK(report.unknown.at("tide-mood") == 1);
  }

  TEST_CASE("the report accounts for every record") {
    for (const fs::path& path : own_sessions()) {
      CAPTURE(path.string());
      const auto repository = Repository::in_memory();
      const LossReport report = import_text(*repository, read_file(path));
      CHECK(report.records == report.turn_records + total(report.kept) + total(report.duplicates));
    }
  }

  TEST_CASE("parallel calls are one line, each result in it, and no branch") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "parallel.jsonl");
    std::string line;
    for (const Step& step : steps) {
      const auto& calls = step.turn.fields.tool_calls;
      line += calls                          ? "call " + calls->at(0).id + " "
              : step.turn.type == Type::tool ? "result " + step.turn.fields.call_id + " "
                                             : std::string(kind_of(step.commit)) + " ";
    }
    CHECK(line ==
          "user assistant call toolu_02A call toolu_02B call toolu_02C result toolu_02A result "
          "toolu_02C result toolu_02B assistant user ");
    CHECK(ref_names(*repository) == Names{kHeads + "a9d3f0b2"});
  }

  TEST_CASE("several results and a text in one record are turns in block order") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "results.jsonl");
    CHECK(outline(steps) ==
          "user:Count the lines of both, please.|reasoning:Two counts, one step.|"
          "assistant:Counting.|tool:12 a.txt|tool:30 b.txt|user:[Request interrupted by user]|"
          "assistant:12 and 30 lines.");
    CHECK(steps[2].turn.fields.tool_calls->size() == 2);
  }

  TEST_CASE("images are decoded into attachments and come back as they were") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "image.jsonl");
    REQUIRE(steps[0].turn.attach.size() == 2);
    CHECK(steps[0].turn.attach[0].media_type == "image/png");
    CHECK(steps[0].turn.attach[0].bytes.starts_with("\x89PNG"));
    CHECK(steps[0].turn.raw.empty());
    CHECK(steps[0].turn.facts.text("shape") == "ti");
    CHECK(steps[0].turn.text == "What colour is the buoy?");
    REQUIRE_FALSE(steps[2].turn.attach.empty());
    CHECK(steps[2].turn.facts.text("shape") == "r[i]");
    // A picture that is elsewhere stays in the raw item.
    CHECK(steps[4].turn.raw.size() == 2);
    CHECK(steps[4].turn.text == "And this one?");
  }

  TEST_CASE("an edited prompt and a repeated reply are branches, and nothing else is") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "branch.jsonl");
    const std::string base = kHeads + "0f6d94e5";
    CHECK(ref_names(*repository) ==
          Names{base, base + "-2", base + "-3", kSources + "0f6d94e5-b7c8-4a21-93fe-d5a18c02b67e"});
    const std::string opening =
        "user:Write a limerick about fog.|assistant:There once was a fog off the quay…|";
    CHECK(outline(steps) == opening +
                                "user:Make it rhyme better.|assistant:There once was a fog by the "
                                "pier…|user:Good, keep that one.");
    CHECK(outline(history(*repository, base + "-2")) ==
          opening + "user:Make it shorter.|assistant:Fog. Pier. Beer.");
    CHECK(outline(history(*repository, base + "-3")) ==
          opening + "user:Make it shorter.|assistant:Fog: no boats.");
  }

  TEST_CASE("a sidechain is a branch of its own, from its own root") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "sidechain.jsonl");
    const Names names = ref_names(*repository);
    REQUIRE(names.size() == 2);
    CHECK(names[0] == kHeads + "3c2a7e60");
    CHECK(names[1].starts_with(kHeads + "3c2a7e60-agent-"));
    CHECK(steps.size() == 4);
    const auto side = history(*repository, names[1]);
    CHECK(
        outline(side) ==
        "user:Count the buoys in data/buoys.csv|assistant:|tool:41 data/buoys.csv|assistant:There "
        "are 40 buoys and a header line.");
    CHECK(side[0].commit.author.empty());  // The main agent wrote it, not the user.
  }

  TEST_CASE("a subagent's own file is a sidechain of the session it names") {
    const auto repository = Repository::in_memory();
    import_fixture(*repository, "subagents/agent-a7f3c91e.jsonl");
    CHECK(ref_names(*repository) == Names{kHeads + "3c2a7e60-agent-a7f3c91e"});
  }

  TEST_CASE("a compaction that says what it replaced is a compress") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "compaction.jsonl");
    REQUIRE(steps.size() == 10);
    CHECK(steps[5].commit.op == Op::compress);
    CHECK(steps[5].commit.target.size() == 5);
    CHECK(steps[8].commit.op == Op::compress);
    CHECK(steps[8].commit.target == std::vector<Oid>{steps[5].oid, steps[6].oid, steps[7].oid});
    const std::string ref = kHeads + "7a4b19d8";
    CHECK(prompt_texts(*repository, ref) ==
          Names{"Tide table fixed; the moon phases were right.", "And the sunrise?"});
    CHECK(history(*repository, kSources + "7a4b19d8-e2c3-4f57-b8a6-03c9d1e5f270").size() == 2);
  }

  TEST_CASE("a compaction that does not say is a summary, where a new history begins") {
    const auto repository = Repository::in_memory();
    const auto steps = import_fixture(*repository, "compaction_without_parent.jsonl");
    CHECK(outline(steps) ==
          "summary:This session is being continued from a previous conversation. The tide table "
          "was an hour off; it is fixed.|user:Now the moon phases.");
    CHECK(outline(history(*repository, kHeads + "7a4b19d8-2")) ==
          "user:Fix the tide table.|assistant:Fixed.");
  }

  TEST_CASE("turns that a compaction kept stay in the prompt behind the summary") {
    const auto repository = Repository::in_memory();
    import_fixture(*repository, "compaction_kept.jsonl");
    const auto texts = prompt_texts(*repository, kHeads + "7a4b19d8");
    REQUIRE(texts.size() == 4);
    CHECK(texts[0].starts_with("This session is being continued"));
    CHECK(texts[1] == "And the moon phases.");
    CHECK(texts[3] == "And the sunrise?");
  }

  TEST_CASE("messages that a compaction lists as kept stay in the prompt") {
    const std::string compacted =
        R"({"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,)"
        R"("sessionId":"0f0e0d0c-1111","compactMetadata":{"preservedMessages":{"uuids":["a1"]}}})"
        "\n"
        R"({"type":"user","uuid":"s","parentUuid":"b","sessionId":"0f0e0d0c-1111",)"
        R"("isCompactSummary":true,"message":{"role":"user","content":"So far."}})"
        "\n";
    const std::string text = record_of("user", "u1", "", R"("Sound?")") +
                             record_of("assistant", "a1", "u1", R"("Three fathoms.")", "m1") +
                             compacted + record_of("user", "u2", "a1", R"("And now?")");
    const auto repository = Repository::in_memory();
    const LossReport got = import_text(*repository, text);
    CHECK(prompt_texts(*repository, got.main_ref) ==
          Names{"So far.", "Three fathoms.", "And now?"});
  }

  TEST_CASE("blocks of every kind keep their place, and unknown ones their bytes") {
    const auto repository = Repository::in_memory();
    const LossReport report = import_text(*repository, fixture("blocks.jsonl"));
    const auto steps = history(*repository, report.main_ref);
    CHECK(outline(steps) ==
          "user:First half, second half.|reasoning:|assistant:A|reasoning:between|assistant:B|"
          "tool:1|decision:");
    CHECK(steps[0].turn.raw.size() == 3);
    CHECK(report.odd_blocks.at("document") == 1);
    CHECK(steps[1].turn.raw[0].bytes.find("redacted_thinking") != std::string::npos);
    CHECK(steps[4].turn.facts.text("shape") == "td");
    CHECK(steps[4].turn.attach[0].bytes ==
          R"({"message":{"stop_details":{"kind":"pause"}},"diagnostics":{"cache":"miss"}})");
    CHECK(steps[5].turn.facts.text("shape") == "f");
    CHECK(steps[6].turn.facts.text("provider").empty());
    CHECK(steps[6].turn.facts.json("api_error") == "true");
  }

  TEST_CASE("every item that was left out comes back byte for byte") {
    for (const fs::path& path : own_sessions()) {
      const std::string text = read_file(path);
      const auto repository = Repository::in_memory();
      import_text(*repository, text);
      for (const std::string& ref : ref_names(*repository)) {
        if (!ref.starts_with("refs/heads/")) continue;
        for (const Step& step : history(*repository, ref)) {
          CAPTURE(path.string());
          CAPTURE(step.turn.text);
          const auto items = provider_items(step.turn).value();
          CHECK_FALSE(items.empty());
          for (const std::string& item : items) CHECK(text.find(item) != std::string::npos);
        }
      }
    }
  }

  TEST_CASE("importing again writes nothing") {
    for (const fs::path& path : own_sessions()) {
      CAPTURE(path.string());
      const std::string text = read_file(path);
      const auto repository = Repository::in_memory();
      const LossReport first = import_text(*repository, text);
      const std::string refs = refs_text(*repository);
      const auto operation = repository->store().newest_operation().value();
      const LossReport again = import_text(*repository, text);
      CHECK(refs_text(*repository) == refs);
      CHECK(again.new_turns == 0);
      CHECK(again.new_notes == 0);
      CHECK(again.turns == first.turns);
      CHECK(again.main_ref == first.main_ref);
      if (operation) {
        CHECK(repository->store().newest_operation().value()->name == operation->name);
      }
    }
  }

  TEST_CASE("every front of a session, one after the other, comes to the same as the whole") {
    for (const fs::path& path : own_sessions()) {
      CAPTURE(path.string());
      const std::string text = read_file(path);
      const auto whole = Repository::in_memory();
      import_text(*whole, text);
      const auto parts = Repository::in_memory();
      std::size_t stored = 0;
      for (std::size_t end = text.find('\n'); end != std::string::npos;
           end = text.find('\n', end + 1)) {
        for (std::size_t cut = end < 3 ? 0 : end - 3; cut <= end + 3 && cut <= text.size(); ++cut) {
          import_text(*parts, std::string_view(text).substr(0, cut));
        }
      }
      import_text(*parts, text);
      CHECK(refs_text(*parts) == refs_text(*whole));
      std::size_t in_whole = 0;
      whole->store().scan([&](const auto&) { return ++in_whole > 0; }).value();
      parts->store().scan([&](const auto&) { return ++stored > 0; }).value();
      CHECK(stored == in_whole);  // A torn record left nothing behind either.
    }
  }

  TEST_CASE("neither name, user, clock, time zone nor locale is in a commit") {
    class OtherClock final : public spoor::Clock {
      spoor::Timestamp now() const override { return {4'000'000'000'000'000}; }
    };
    const std::string text = fixture("plain.jsonl");
    const auto here = Repository::in_memory();
    import_text(*here, text);

    const char* zone = std::getenv("TZ");
    const std::string zone_before = zone != nullptr ? zone : "";
    const std::string locale_before = std::setlocale(LC_ALL, nullptr);
    ::setenv("TZ", "Pacific/Kiritimati", 1);
    ::tzset();
    for (const char* locale : {"de_DE.UTF-8", "tr_TR.UTF-8", "C.UTF-8"}) {
      std::setlocale(LC_ALL, locale);
      Repository::Options options;
      options.author = "somebody else";
      options.clock = std::make_shared<OtherClock>();
      const auto there = Repository::in_memory(std::move(options));
      spoor::import::TextSource source("/elsewhere/b.jsonl", text);
      spoor::import::import_source(source, *there, {}).value();
      CHECK(refs_text(*there) == refs_text(*here));
    }
    std::setlocale(LC_ALL, locale_before.c_str());
    zone != nullptr ? ::setenv("TZ", zone_before.c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
  }

  TEST_CASE("a longer copy writes only the new turns") {
    const std::string text = fixture("plain.jsonl");
    const auto repository = Repository::in_memory();
    std::size_t half = 0;
    for (int lines = 0; lines < 9; ++lines) half = text.find('\n', half) + 1;
    const LossReport front = import_text(*repository, std::string_view(text).substr(0, half));
    const LossReport whole = import_text(*repository, text);
    CHECK(front.new_turns == total(front.turns));
    CHECK(whole.new_turns == total(whole.turns) - total(front.turns));
  }

  TEST_CASE("work on an imported branch is not moved or lost by a longer copy") {
    const std::string text = fixture("plain.jsonl");
    const auto repository = Repository::in_memory();
    const std::size_t cut = text.rfind('\n', text.size() - 2) + 1;
    const LossReport front = import_text(*repository, std::string_view(text).substr(0, cut));
    const std::string name = front.main_ref.substr(std::string("refs/heads/").size());
    auto branch = repository->branch(name);
    const Oid mine = branch.user("my own remark").value();

    const LossReport same = import_text(*repository, std::string_view(text).substr(0, cut));
    CHECK(same.main_ref == front.main_ref);
    CHECK(branch.tip().value() == mine);

    const LossReport longer = import_text(*repository, text);
    CHECK(branch.tip().value() == mine);
    CHECK(longer.main_ref == front.main_ref + "-2");
    const std::string refs = refs_text(*repository);
    import_text(*repository, text);
    CHECK(refs_text(*repository) == refs);
  }

  TEST_CASE("with keep_source every record is kept, and the turns are the same") {
    const std::string text = fixture("plain.jsonl");
    const auto plain = Repository::in_memory();
    const auto kept = Repository::in_memory();
    const LossReport report = import_text(*plain, text);
    import_text(*kept, text, {.keep_source = true});
    CHECK(kept->store().ref(report.main_ref).value() ==
          plain->store().ref(report.main_ref).value());
    const auto notes = history(*kept, kSources + "5b0e7c1a-3d42-4f6e-9a10-c7b2d8e4f901");
    CHECK(notes.size() == report.records);
    CHECK(notes[1].turn.text.find("message") == std::string::npos);
    CHECK(notes[1].turn.text.starts_with(R"({"parentUuid":null,)"));
    CHECK(notes[1].turn.text.find(R"("type":"user","uuid":)") == std::string::npos);
    CHECK(notes[1].turn.text.find(R"("thinkingMetadata":)") != std::string::npos);
  }

  TEST_CASE("a cancelled import says so, and a later one completes it") {
    const std::string text = fixture("plain.jsonl");
    const auto repository = Repository::in_memory();
    std::atomic<bool> cancel = true;
    spoor::import::TextSource source("session.jsonl", text);
    const auto result = spoor::import::importers().front()->import(
        source, *repository, {.keep_source = false, .progress = {}, .cancel = &cancel});
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == spoor::Error::Code::interrupted);
    CHECK(import_text(*repository, text).is_clean());
  }

  TEST_CASE("what was read before an import was stopped is written") {
    // Stops whoever reads it when its first block is behind.
    struct Stopping final : spoor::import::Source {
      explicit Stopping(std::string_view text) : inner("session.jsonl", text) {}
      const std::string& name() const override { return inner.name(); }
      std::optional<std::uint64_t> size() const override { return std::nullopt; }
      spoor::Result<std::size_t> read(char* to, std::size_t room) override {
        cancel = reads++ > 0;
        return inner.read(to, std::min<std::size_t>(room, 4'096));
      }
      spoor::import::TextSource inner;
      std::atomic<bool> cancel = false;
      int reads = 0;
    };
    const std::string text = fixture("plain.jsonl");
    REQUIRE(text.size() > 8'192);
    const auto repository = Repository::in_memory();
    Stopping source(text);
    const auto result = spoor::import::importers().front()->import(
        source, *repository, {.keep_source = false, .progress = {}, .cancel = &source.cancel});
    REQUIRE_FALSE(result.has_value());
    const auto front = refs_text(*repository);
    Stopping again(text);
    CHECK_FALSE(spoor::import::importers()
                    .front()
                    ->import(again, *repository, {.cancel = &again.cancel})
                    .has_value());
    CHECK(refs_text(*repository) == front);
    const auto all = import_text(*repository, text);
    CHECK(all.new_turns > 0);
    CHECK(all.new_turns < all.turn_records);
  }

  TEST_CASE("progress ends at the number of bytes") {
    const std::string text = fixture("plain.jsonl");
    const auto repository = Repository::in_memory();
    std::uint64_t done = 0;
    import_text(*repository, text,
                {.progress = [&](const auto& progress) { done = progress.bytes_done; }});
    CHECK(done == text.size());
  }
}
