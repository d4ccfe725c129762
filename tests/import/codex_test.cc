#include <doctest/doctest.h>

#include "llm/source_usage.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::compile::kind_of;
using spoor::store::Op;
using spoor::store::Type;
using Names = std::vector<std::string>;

namespace {

const std::string kHead = "refs/heads/codex/01969f2e";

std::string codex_sample(const std::string& name) {
  return read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import/codex" / name);
}

struct Imported {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;

  explicit Imported(const std::string& text) {
    spoor::import::TextSource source("rollout.jsonl", text);
    report = spoor::import::import_source(source, *repository, {}).value();
  }
  std::vector<Step> line(const std::string& ref) const { return history(*repository, ref); }
};

/// The one step that says `text`.
const Step& step_of(const std::vector<Step>& steps, const std::string& text) {
  const Step* found = nullptr;
  for (const Step& step : steps) {
    if (step.turn.text == text) found = &step;
  }
  REQUIRE(found != nullptr);
  return *found;
}

/// The `message_id`s of the model's turns on a line, a dash for one without.
Names message_ids(const std::vector<Step>& steps) {
  Names names;
  for (const Step& step : steps) {
    if (step.turn.type != Type::assistant && step.turn.type != Type::reasoning) continue;
    names.push_back(step.turn.facts.text("message_id"));
  }
  return names;
}

/// What each turn of a line took, `input+cached>output(reasoning)`, a dash where nothing says it.
Names usages(const std::vector<Step>& steps) {
  const auto text = [](const std::optional<std::uint64_t>& count) {
    return count ? std::to_string(*count) : std::string("?");
  };
  Names all;
  for (const Step& step : steps) {
    const std::string json = step.turn.facts.json("usage");
    if (json.empty()) {
      all.emplace_back("-");
      continue;
    }
    const auto document = spoor::json::parse(json);
    const auto usage = spoor::llm::read_source_usage(document->root()).usage;
    all.push_back(text(usage.input) + "+" + text(usage.cached) + ">" + text(usage.output) + "(" +
                  text(usage.reasoning) + ")");
  }
  return all;
}

/// A `token_count` of `input` and `output`, `total` tokens in the session so far.
std::string count(int input, int output, int total) {
  return codex_record("event_msg",
                      R"("type":"token_count","info":{"total_token_usage":{"total_tokens":)" +
                          std::to_string(total) + R"(},"last_token_usage":{"input_tokens":)" +
                          std::to_string(input) + R"(,"cached_input_tokens":0,)" +
                          R"("output_tokens":)" + std::to_string(output) + "}}");
}

const std::string kPlainHead =
    codex_record("session_meta", R"("id":"01996f00-0000","cli_version":"0.46.0")");
const std::string kPlainLine = "refs/heads/codex/01996f00";

std::string first_lines(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) at = text.find('\n', at) + 1;
  return text.substr(0, at);
}

}  // namespace

TEST_SUITE("import/codex") {
  TEST_CASE("items become turns in file order, whichever way calls are written") {
    const Imported imported(codex_sample("rollout.jsonl"));
    std::string types;
    for (const Step& step : imported.line(kHead + "-2")) {
      types += std::string(kind_of(step.commit)) + " ";
    }
    CHECK(types ==
          "system system user user reasoning assistant assistant assistant tool tool reasoning "
          "assistant tool assistant tool assistant assistant user ");
    CHECK(imported.report.unknown == LossReport::Counts{{"response_item/holo_call_status", 1}});
  }

  TEST_CASE("what the model made keeps the bytes of its item, sealed reasoning too") {
    const std::string text = codex_sample("rollout.jsonl");
    const Imported imported(text);
    int items = 0;
    for (const Step& step : imported.line(kHead + "-2")) {
      if (step.turn.type != Type::assistant && step.turn.type != Type::reasoning) continue;
      REQUIRE(step.turn.raw.size() == 1);
      CHECK(text.find("\"payload\":" + step.turn.raw[0].bytes + "}\n") != std::string::npos);
      CHECK(step.turn.facts.text("provider") == "openai");
      CHECK(step.turn.author == "gpt-5.5");
      ++items;
    }
    CHECK(items == 9);
    const auto steps = imported.line(kHead + "-2");
    const Step& sealed = steps.at(10);
    CHECK(sealed.turn.text.empty());
    CHECK(sealed.turn.fields.format == "responses");
    CHECK(sealed.turn.raw[0].bytes.find("gAAAAABsecond==") != std::string::npos);
  }

  TEST_CASE("arguments are the model's own text, whatever they are called") {
    const Imported imported(codex_sample("rollout.jsonl"));
    const auto steps = imported.line(kHead + "-2");
    Names calls;
    for (const Step& step : steps) {
      if (!step.turn.fields.tool_calls) continue;
      const auto& call = step.turn.fields.tool_calls->at(0);
      calls.push_back(call.id + " " + call.name + " " + call.arguments.substr(0, 22));
    }
    CHECK(calls == Names{R"(call_b01 exec_command {"cmd":"rg -n 99 src",)",
                         R"(call_b02 exec_command {"cmd":"tail -1 data/7)",
                         "call_b03 apply_patch *** Begin Patch\n*** Up",
                         R"(call_b04 local_shell {"type":"exec","comman)"});
    CHECK(step_of(steps, "3 failed").turn.fields.is_error);
    CHECK(step_of(steps, "2026 04 11 06 50 99.0 12.1").turn.fields.call_id == "call_b02");
  }

  TEST_CASE("one answer's items are one message of the prompt, parallel calls before results") {
    const Imported imported(codex_sample("rollout.jsonl"));
    const auto prompt =
        imported.repository->compile(imported.repository->store().ref(kHead + "-2").value())
            .value();
    const auto& answer = prompt.messages.at(4);
    CHECK(answer.role == "assistant");
    CHECK(answer.text() == "I'll look at the decoder and at the raw record.");
    REQUIRE(answer.tool_calls().size() == 2);
    CHECK(prompt.messages.at(5).role == "tool");
    CHECK(prompt.messages.at(6).role == "tool");
    CHECK(prompt.messages.at(7).tool_calls().size() == 1);
  }

  TEST_CASE("events that repeat an item are counted, also when they come before it") {
    const Imported imported(codex_sample("rollout.jsonl"));
    CHECK(imported.report.duplicates == LossReport::Counts{{"event_msg/agent_message", 2},
                                                           {"event_msg/agent_reasoning", 1},
                                                           {"event_msg/user_message", 1}});
    // One names the client, one says what no item says.
    CHECK(imported.report.kept.at("event_msg/user_message") == 1);
    CHECK(imported.report.kept.at("event_msg/agent_message") == 1);
  }

  TEST_CASE("an event at the very end waits for a longer copy") {
    const std::string text = codex_sample("rollout.jsonl");
    const Imported imported(first_lines(text, 10));
    CHECK(imported.report.records == 9);
    CHECK_FALSE(imported.report.is_clean());
    CHECK(imported.report.remarks.at(0).text.find("not imported yet") != std::string::npos);
    CHECK(Imported(first_lines(text, 16)).report.is_clean());
  }

  TEST_CASE("instructions are one system turn, given again only when they change") {
    std::string text = codex_sample("rollout.jsonl");
    const auto count = [](const Imported& imported) {
      int found = 0;
      for (const Step& step : imported.line(kHead + "-2")) {
        found += step.turn.fields.name == "instructions" ? 1 : 0;
      }
      return found;
    };
    CHECK(count(Imported(text)) == 1);
    text.replace(text.rfind("Keep answers short."), 19, "Keep answers long.");
    const Imported changed(text);
    CHECK(count(changed) == 2);
    const auto prompt = prompt_texts(*changed.repository, kHead + "-2");
    CHECK(std::count(prompt.begin(), prompt.end(), "You are a coding agent. Keep answers short.") ==
          0);
  }

  TEST_CASE("turns that were rolled back stay, as a line of their own") {
    const Imported imported(codex_sample("rollout.jsonl"));
    CHECK(imported.report.main_ref == kHead);
    const auto aborted = imported.line(kHead + "-2");
    CHECK(aborted.back().turn.text == "Is that what this picture shows?");
    REQUIRE(aborted.back().turn.attach.size() >= 1);
    CHECK(aborted.back().turn.attach[0].media_type == "image/png");
    for (const Step& step : imported.line(kHead)) {
      CHECK(step.turn.text != "Is that what this picture shows?");
    }
  }

  TEST_CASE("after a compaction the prompt is what the record lists, and the instructions") {
    const std::string text = codex_sample("rollout.jsonl");
    const std::size_t end = text.find(R"({"type":"context_compacted"})");
    const Imported imported(text.substr(0, text.find('\n', end) + 1));
    CHECK(prompt_texts(*imported.repository, kHead) ==
          Names{"You are a coding agent. Keep answers short.",
                "Why does buoy 7 report waves of 99 m?", "<permissions>read only</permissions>"});
    const auto steps = imported.line(kHead);
    CHECK(steps.at(steps.size() - 3).commit.op == Op::compress);
    CHECK(steps.back().turn.type == Type::reasoning);
    CHECK(steps.back().turn.raw[0].bytes.find("gAAAAABcompact==") != std::string::npos);
  }

  TEST_CASE("the instructions are in the prompt once, though a developer says them again") {
    const auto message = [](const std::string& role, const std::string& text) {
      return R"("type":"message","role":")" + role +
             R"(","content":[{"type":"input_text","text":")" + text + R"("}])";
    };
    const std::string front =
        codex_record("session_meta", R"("id":"01996f00-0000","base_instructions":{"text":"Be."})") +
        codex_record("response_item", message("developer", "Be.")) +
        codex_record("response_item", message("developer", "Be brief.")) +
        codex_record("response_item", message("user", "one"));
    const Imported imported(front);
    CHECK(prompt_texts(*imported.repository, imported.report.main_ref) ==
          Names{"Be.", "Be brief.", "one"});
    CHECK(imported.report.duplicates.at("repeated instructions") == 1);
    const Imported compacted(
        front + codex_record("compacted", R"("message":"","replacement_history":[{)" +
                                              message("developer", "Be.") + "},{" +
                                              message("developer", "Be brief.") + "},{" +
                                              message("user", "one") + "},{" +
                                              message("user", "In short: one.") + "}]"));
    CHECK(prompt_texts(*compacted.repository, compacted.report.main_ref) ==
          Names{"Be.", "Be brief.", "one", "In short: one."});
  }

  TEST_CASE("a rollback undoes a compaction within the turns that it drops") {
    const auto message = [](const std::string& role, const std::string& text) {
      return R"({"type":"message","role":")" + role +
             R"(","content":[{"type":"input_text","text":")" + text + R"("}]})";
    };
    const auto item = [](const std::string& payload) {
      return R"({"timestamp":"2026-05-02T08:00:00Z","type":"response_item","payload":)" + payload +
             "}\n";
    };
    const auto prompt_after = [&](const std::string& turns) {
      const Imported imported(
          codex_record("session_meta", R"("id":"01996f00-0000","instructions":"Be brief.")") +
          item(message("user", "one")) + item(message("assistant", "first")) +
          item(message("user", "two")) + item(message("assistant", "second")) +
          codex_record("compacted", R"("message":"","replacement_history":[)" +
                                        message("user", "one") + "," +
                                        message("user", "<environment_context>a") + "," +
                                        message("user", "two") + "]") +
          item(message("user", "three")) + item(message("assistant", "third")) +
          codex_record("event_msg", R"("type":"thread_rolled_back","num_turns":)" + turns) +
          item(message("user", "four")));
      return prompt_texts(*imported.repository, imported.report.main_ref);
    };
    const std::string surroundings = "<environment_context>a";
    CHECK(prompt_after("1") == Names{"Be brief.", "one", surroundings, "two", "four"});
    CHECK(prompt_after("2") == Names{"Be brief.", "one", "first", "four"});
    CHECK(prompt_after("3") == Names{"Be brief.", "four"});
    CHECK(prompt_after("9") == Names{"Be brief.", "four"});
  }

  TEST_CASE("a turn has two names for its begin, and a rollback takes it whole under both") {
    const auto user = [](const std::string& text) {
      return codex_record("response_item", R"("type":"message","role":"user","content":[{"type":)"
                                           R"("input_text","text":")" +
                                               text + R"("}])");
    };
    for (const std::string begin : {"task_started", "turn_started"}) {
      CAPTURE(begin);
      const std::string begun = codex_record("event_msg", R"("type":")" + begin + '"');
      const Imported imported(
          codex_record("session_meta", R"("id":"01996f00-0000","instructions":"Be brief.")") +
          begun + user("one") + begun + user("two") + user("and more") +
          codex_record("event_msg", R"("type":"thread_rolled_back","num_turns":1)") + begun +
          user("three"));
      CHECK(prompt_texts(*imported.repository, imported.report.main_ref) ==
            Names{"Be brief.", "one", "three"});
    }
  }

  TEST_CASE("a compaction that is a text alone is a summary of all before") {
    const Imported imported(codex_sample("rollout.jsonl"));
    const auto prompt = prompt_texts(*imported.repository, kHead);
    REQUIRE(prompt.size() >= 2);
    CHECK(prompt[0] == "You are a coding agent. Keep answers short.");
    CHECK(prompt[1] == "The user asked about the sentinel of two buoys; the decoder is mended.");
    CHECK(imported.report.turns.at("compress") == 2);
  }

  TEST_CASE("another agent's message is a user turn by that agent, the program's has no author") {
    const Imported imported(codex_sample("rollout.jsonl"));
    const auto steps = imported.line(kHead);
    CHECK(step_of(steps, "The patch looks right.").turn.author == "/root/reviewer");
    CHECK(step_of(steps, "Why does buoy 7 report waves of 99 m?").turn.author != "gpt-5.5");
    for (const Step& step : steps) {
      if (step.turn.text.starts_with("<environment_context>")) {
        CHECK(step.turn.author.empty());
        CHECK(step.turn.facts.json("injected") == "true");
      }
    }
  }

  TEST_CASE("a forked session meets the other one at their common front") {
    const std::string text = codex_sample("rollout.jsonl");
    const std::string front = first_lines(text, 16);
    std::string forked = front;
    const std::string id = R"("id":"01969f2e-1c1b-7a20-8e55-0d5f2b7c9a31")";
    forked.replace(forked.find(id), id.size(),
                   R"("id":"0200aaaa-1c1b-7a20-8e55-0d5f2b7c9a31","forked_from_id":)"
                   R"("01969f2e-1c1b-7a20-8e55-0d5f2b7c9a31")");
    for (std::size_t at = 0; (at = forked.find("2026-04-11T07", at)) != std::string::npos;) {
      forked.replace(at, 13, "2026-04-12T09");
    }
    const auto import_one = [](Repository& repository, const std::string& rollout) {
      spoor::import::TextSource source("rollout.jsonl", rollout);
      return spoor::import::import_source(source, repository, {}).value();
    };
    const std::string more = forked +
                             R"({"timestamp":"2026-04-12T10:00:00Z","type":"response_item",)"
                             R"("payload":{"type":"message","role":"user","content":)"
                             R"([{"type":"input_text","text":"Another way, please."}]}})"
                             "\n";
    const auto repository = Repository::in_memory();
    import_one(*repository, text);
    const LossReport whole_front = import_one(*repository, forked);
    CHECK(whole_front.new_turns == 0);
    CHECK(whole_front.main_ref == "refs/heads/codex/0200aaaa");
    const LossReport report = import_one(*repository, more);
    CHECK(report.new_turns == 1);
    const auto ours = history(*repository, "refs/heads/codex/0200aaaa");
    const auto theirs = history(*repository, kHead + "-2");
    REQUIRE(ours.size() == 11);
    for (std::size_t i = 0; i + 1 < ours.size(); ++i) CHECK(ours[i].oid == theirs[i].oid);
    CHECK(ours.back().turn.text == "Another way, please.");
    const auto notes =
        history(*repository, "refs/sources/codex/0200aaaa-1c1b-7a20-8e55-0d5f2b7c9a31");
    // What the fork's own head says beyond the other's instructions.
    bool is_named = false;
    for (const Step& note : notes) {
      for (const auto& item : note.turn.attach) {
        is_named = is_named || item.bytes.find("forked_from_id") != std::string::npos;
      }
    }
    CHECK(is_named);
    CHECK(import_one(*repository, more).new_turns == 0);
    CHECK(import_one(*Repository::in_memory(), more).new_turns == 11);  // Alone it is whole.
  }

  TEST_CASE("two answers of the same words are two messages of the prompt") {
    const Imported imported(codex_sample("rollout_counted.jsonl"));
    CHECK(imported.report.is_clean());
    const auto steps = imported.line(kPlainLine);
    CHECK(message_ids(steps) ==
          Names{"answer-1", "answer-1", "answer-1", "answer-2", "answer-3", "answer-4"});
    // Before the compaction.
    const auto at = imported.repository->compile(steps.at(steps.size() - 4).oid).value();
    std::vector<std::string> texts;
    for (const auto& each : at.messages)
      texts.push_back(std::string(each.role) + ":" + each.text());
    CHECK(texts == Names{"system:Keep the list of buoys.", "user:Mark buoy 7 as mended.",
                         "assistant:", "tool:7 broken", "tool:Success. Updated buoys.txt",
                         "assistant:Done.", "user:And buoy 8?", "assistant:Done."});
  }

  TEST_CASE("a usage record is the usage of the answer before it, on the last that it said") {
    const Imported imported(codex_sample("rollout_counted.jsonl"));
    const auto steps = imported.line(kPlainLine);
    CHECK(usages(steps) == Names{"-", "-", "-", "-", "400+600>50(20)", "-", "-", "100+1000>7(0)",
                                 "-", "100+1100>7(0)", "100+1200>90(0)", "-", "400+0>3(0)"});
    CHECK(steps.at(4).turn.fields.tool_calls->at(0).id == "call_2");
    CHECK(steps.at(4).turn.facts.text("response_id") == "resp_01");
    CHECK(steps.at(10).commit.op == Op::compress);  // What it took to write the summary.
  }

  TEST_CASE("records of tools and of usage are known") {
    const Imported imported(codex_sample("rollout_counted.jsonl"));
    CHECK(imported.report.unknown.empty());
    CHECK(imported.report.kept.at("response_item/additional_tools") == 1);
    CHECK(imported.report.kept.at("token_usage_record") == 5);
  }

  TEST_CASE("a token count belongs to the answer before it, unless its total is an old one") {
    const std::string said = codex_message("user", "Go.") + codex_message("assistant", "One.") +
                             count(100, 5, 105) + codex_message("user", "On.") +
                             count(100, 5, 105) + codex_message("assistant", "Two.") +
                             count(200, 6, 311);
    const Imported imported(kPlainHead + said);
    CHECK(usages(imported.line(kPlainLine)) == Names{"-", "100+0>5(?)", "-", "200+0>6(?)"});
  }

  TEST_CASE("where counts precede the items, as in 2025, an answer has the count before it") {
    const std::string said = codex_message("user", "Go.") + count(100, 5, 105) +
                             codex_message("assistant", "One.") + count(200, 6, 311) +
                             codex_message("assistant", "Two.") + codex_message("user", "On.") +
                             count(300, 7, 618) + codex_message("assistant", "Three.") +
                             codex_message("user", "Thanks.");
    const Imported imported(kPlainHead + said);
    CHECK(usages(imported.line(kPlainLine)) ==
          Names{"-", "100+0>5(?)", "200+0>6(?)", "-", "300+0>7(?)", "-"});
  }

  TEST_CASE("a call and its result without ids are a call and a result") {
    const Imported imported(
        kPlainHead + codex_message("user", "Go.") +
        codex_record("response_item",
                     R"("type":"tool_call","function":{"name":"ls"},"arguments":{"all":true})") +
        codex_record("response_item",
                     R"("type":"tool_result","name":"ls","result":{"stdout":"a"})") +
        codex_message("assistant", "Done.") + codex_message("user", "Thanks."));
    const auto steps = imported.line(kPlainLine);
    CHECK(outline(steps) ==
          R"(user:Go.|assistant:|tool:{"stdout":"a"}|assistant:Done.|user:Thanks.)");
    CHECK(steps.at(1).turn.fields.tool_calls->at(0).name == "ls");
    CHECK(steps.at(1).turn.fields.tool_calls->at(0).arguments == R"({"all":true})");
    CHECK(message_ids(steps) == Names{"answer-1", "answer-2"});
  }

  TEST_CASE("a record of a type that nobody knows is kept, whatever it is called") {
    const Imported imported(kPlainHead + codex_message("user", "Go.") +
                            codex_record("memory_call", R"("call_id":"c1","name":"recall")") +
                            codex_message("user", "On."));
    CHECK(outline(imported.line(kPlainLine)) == "user:Go.|user:On.");
    CHECK(imported.report.unknown == LossReport::Counts{{"memory_call", 1}});
  }

  TEST_CASE("a rollout that ends before the count of its last answer has the answer") {
    const std::string front =
        kPlainHead + codex_message("user", "Go.") + codex_message("assistant", "One.");
    const Imported killed(front);
    CHECK(killed.report.is_clean());
    CHECK(outline(killed.line(kPlainLine)) == "user:Go.|assistant:One.");
    CHECK(usages(killed.line(kPlainLine)) == Names{"-", "-"});
  }

  TEST_CASE("a usage record without items is that of an answer of nothing") {
    const auto record_of = [](int input) {
      return codex_record("token_usage_record",
                          R"("usage":{"input_tokens":)" + std::to_string(input) +
                              R"(,"cached_input_tokens":0,"output_tokens":3})");
    };
    const Imported imported(
        kPlainHead + codex_message("user", "Go.") + codex_message("assistant", "One.") +
        record_of(100) + codex_message("user", "Nothing, please.") + record_of(200) +
        codex_record("event_msg", R"("type":"task_complete")") + codex_message("user", "On."));
    const auto steps = imported.line(kPlainLine);
    CHECK(outline(steps) == "user:Go.|assistant:One.|user:Nothing, please.|assistant:|user:On.");
    CHECK(usages(steps) == Names{"-", "100+0>3(?)", "-", "200+0>3(?)", "-"});
    CHECK(message_ids(steps) == Names{"answer-1", "answer-2"});
  }

  TEST_CASE("turns that a compaction lists stay, and its summary is a compress of the others") {
    const std::string compacted =
        codex_record("compacted", R"("message":"SUMMARY","replacement_history":[)"
                                  R"({"type":"message","role":"developer","content":[)"
                                  R"({"type":"input_text","text":"Rules."}]},)"
                                  R"({"type":"message","role":"user","content":[)"
                                  R"({"type":"input_text","text":"Go."}]},)"
                                  R"({"type":"message","role":"user","content":[)"
                                  R"({"type":"input_text","text":"Go on."}]},)"
                                  R"({"type":"message","role":"user","content":[)"
                                  R"({"type":"input_text","text":"SUMMARY"}]}])");
    const Imported imported(kPlainHead + codex_message("developer", "Rules.") +
                            codex_message("user", "Go.") + codex_message("assistant", "One.") +
                            codex_message("user", "Go on.") + codex_message("assistant", "Gone.") +
                            compacted + codex_message("assistant", "Two.") +
                            codex_message("user", "On."));
    CHECK(prompt_texts(*imported.repository, kPlainLine) ==
          Names{"Rules.", "Go.", "Go on.", "SUMMARY", "Two.", "On."});
    CHECK(outline(imported.line(kPlainLine)) ==
          "system:Rules.|user:Go.|assistant:One.|user:Go on.|assistant:Gone.|annotate:|"
          "compress:SUMMARY|assistant:Two.|user:On.");
  }

  TEST_CASE("a rollout that does not count tokens has its last answer at once") {
    std::string said = kPlainHead;
    for (const char* text : {"One.", "Two.", "Three."}) {
      said += codex_message("user", "Go.") + codex_message("assistant", text);
    }
    const Imported imported(said);
    CHECK(imported.report.is_clean());
    CHECK(imported.line(kPlainLine).back().turn.text == "Three.");
  }

  TEST_CASE("the first rollouts, without envelopes, are read too") {
    const Imported imported(codex_sample("rollout_bare.jsonl"));
    CHECK(outline(imported.line("refs/heads/codex/0195aa00")) ==
          "system:Be brief.|user:List the buoys.|reasoning:One call.\n\nThen answer.|assistant:|"
          "tool:{\"output\":\"7\\n8\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}|"
          "assistant:7 and 8.");
  }
}
