// What becomes of the logs of Kimi Code, Grok CLI and Antigravity: the samples of
// tests/data/import, read back, and what their rules say of odd logs.

#include <doctest/doctest.h>

#include "llm/source_usage.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::compile::kind_of;
using spoor::import::TextSource;

namespace {

struct StepsImport {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;
  std::vector<Step> steps;

  void add(const std::string& text) {
    TextSource source("session.jsonl", text);
    report = spoor::import::import_source(source, *repository, {}).value();
    steps = report.main_ref.empty() ? std::vector<Step>() : history(*repository, report.main_ref);
  }

  std::string outline() const { return import_test::outline(steps); }

  std::string kinds() const {
    std::string all;
    for (const Step& step : steps) all += std::string(kind_of(step.commit)) + " ";
    return all;
  }

  /// Calls as `id:name(arguments)`, results as `=call`, failed ones as `!call`.
  std::string calls() const {
    std::string all;
    for (const Step& step : steps) {
      const auto& fields = step.turn.fields;
      for (const auto& call : fields.tool_calls.value_or(std::vector<spoor::compile::ToolCall>())) {
        all += call.id + ":" + call.name + "(" + call.arguments + ") ";
      }
      if (step.commit.type != spoor::store::Type::tool) continue;
      all += (fields.is_error ? "!" : "=") + fields.call_id + " ";
    }
    return all;
  }

  /// A fact of each turn, `-` where it has none.
  std::string facts(const std::string& key) const {
    std::string all;
    for (const Step& step : steps) {
      const std::string fact = step.turn.facts.json(key);
      all += (fact.empty() ? "-" : fact) + " ";
    }
    return all;
  }

  std::string authors() const {
    std::string all;
    for (const Step& step : steps) all += (step.turn.author.empty() ? "-" : step.turn.author) + " ";
    return all;
  }

  std::vector<std::string> ref_list() const { return ref_names(*repository); }
};

std::string agent_sample(const std::string& name) {
  return read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import" / name);
}

StepsImport imported(const std::string& text) {
  StepsImport got;
  got.add(text);
  return got;
}

const std::string kWireHead =
    R"({"type":"metadata","protocol_version":"1.4","created_at":1785000000000})"
    "\n"
    R"({"type":"config.update","systemPrompt":"S","modelAlias":"alias/m","time":1785000000001})"
    "\n";

std::string wire_event(const std::string& event) {
  return R"({"type":"context.append_loop_event","event":)" + event + R"(,"time":1785000000002})" +
         "\n";
}

std::string wire_record(const std::string& type, const std::string& more = "") {
  return R"({"type":")" + type + "\"" + more + R"(,"time":1785000000003})" + "\n";
}

std::string wire_user(const std::string& text) {
  return wire_record("context.append_message",
                     R"(,"message":{"role":"user","content":[{"type":"text","text":")" + text +
                         R"("}],"origin":{"kind":"user"}})");
}

std::string wire_text(const std::string& step, const std::string& text) {
  return wire_event(R"({"type":"content.part","stepUuid":")" + step +
                    R"(","part":{"type":"text","text":")" + text + R"("}})");
}

std::string wire_begin(const std::string& step) {
  return wire_event(R"({"type":"step.begin","uuid":")" + step + R"("})");
}

std::string wire_end(const std::string& step) {
  return wire_event(R"({"type":"step.end","uuid":")" + step +
                    R"(","usage":{"inputOther":5,"output":7},"finishReason":"end_turn"})");
}

std::string whole_step(const std::string& step, const std::string& text) {
  return wire_begin(step) + wire_text(step, text) + wire_end(step);
}

}  // namespace

TEST_SUITE("import/agent_steps") {
  // --- Kimi Code ------------------------------------------------------------

  TEST_CASE("Kimi Code: a step is an answer, its end tells what it cost") {
    const StepsImport got = imported(agent_sample("kimi/wire.jsonl"));
    CHECK(
        got.outline() ==
        "system:You keep the books of a small library.|user:Where is the atlas?"
        "|reasoning:Atlases stand on shelf nine.|assistant:I look at shelf nine.|assistant:"
        "|assistant:|tool:atlas, globe, map of the harbour\n|tool:no ink"
        "|user:<system-reminder>\nThe list of loans is old.\n</system-reminder>"
        "|reasoning:It is there; the stamp has to wait."
        "|assistant:The atlas stands on shelf nine, unstamped.|user:Is this one?"
        "|assistant:A single dot is no globe.|user:Then order one.|reasoning:A globe costs forty."
        "|assistant:I ask the dealer.|tool:forty crowns|annotate:|compress:What came before in "
        "short: the "
        "atlas is on nine; a globe costs forty crowns.|system:You keep the books of two libraries."
        "|user:Good. Close the ledger.|assistant:Closed.");
    CHECK(got.calls() ==
          R"(Shelf_0:Shelf({"shelf": 9.0, "deep":true}) Stamp_1:Stamp({"book":"atlas"}) =Shelf_0 )"
          R"(!Stamp_1 Ask_3:Ask({"of": "globe"}) =Ask_3 )");
    CHECK(got.facts("message_id") ==
          R"(- - "a1b0-step" "a1b0-step" "a1b0-step" "a1b0-step" - - - "a1b1-step" "a1b1-step" - )"
          R"("c3d0-step" - "message-39" "message-39" - - - - - "d4e0-step" )");
    CHECK(
        got.facts("usage") ==
        R"(- - - - - {"inputCacheCreation":0,"inputCacheRead":4096,"inputOther":900,"output":31} )"
        R"(- - - - {"inputCacheCreation":17,"inputCacheRead":5001,"inputOther":120,"output":44} )"
        R"(- - - - - - - {"inputCacheCreation":0,"inputCacheRead":5100,"inputOther":77,"output":23} )"
        R"(- - {"inputCacheCreation":0,"inputCacheRead":0,"inputOther":310,"output":9} )");
    CHECK(got.facts("response_id") ==
          R"(- - - - - "chatcmpl-pear-0001" - - - - "chatcmpl-pear-0002" - - - - - - - - - - )"
          R"("chatcmpl-pear-0003" )");
    CHECK(got.facts("finish_reason") ==
          R"(- - - - - "tool_use" - - - - "end_turn" - - - - - - - - - - "end_turn" )");
    const std::string second = got.steps[10].turn.facts.json("usage");
    const auto document = spoor::json::parse(second).value();
    const auto usage = spoor::llm::read_source_usage(document.root());
    CHECK(usage.usage.input == 120);
    CHECK(usage.usage.cached == 5001);
    CHECK(usage.usage.cache_written == 17);
    CHECK(usage.usage.output == 44);
  }

  TEST_CASE("Kimi Code: who wrote it, with which model, when and where") {
    const StepsImport got = imported(agent_sample("kimi/wire.jsonl"));
    REQUIRE(got.steps.size() == 22);
    CHECK(got.authors() ==
          "- user pear-3-0720 pear-3-0720 pear-3-0720 pear-3-0720 - - - pear-3-0720 pear-3-0720 "
          "user pear-3-0720 user pear-3-0720 pear-3-0720 - - - - user orchard/pear-3 ");
    CHECK(got.steps[17].turn.facts.text("source") == "kimi");  // What the summary leaves out.
    CHECK(got.steps[3].turn.facts.text("model") == "pear-3-0720");
    CHECK(got.steps[3].turn.facts.text("provider") == "orchard");
    CHECK(got.steps[21].turn.facts.text("model") == "orchard/pear-3");  // No request said more.
    CHECK(got.steps[21].turn.facts.text("provider").empty());
    CHECK(got.steps[3].turn.facts.text("cwd") == "/srv/library");
    CHECK(got.steps[21].turn.facts.text("cwd") == "/srv/libraries");
    CHECK(got.steps[3].turn.facts.json("step") == "1");
    CHECK(got.steps[3].turn.facts.text("turn_id") == "0");
    CHECK(got.steps[3].turn.facts.text("uuid") == "p-2");
    CHECK(got.steps[2].turn.fields.format == "parsed");
    CHECK(got.steps[0].turn.fields.name == "instructions");
    CHECK(got.steps[8].turn.facts.json("injected") == "true");
    CHECK(got.steps[8].turn.facts.json("origin") ==
          R"({"kind":"injection","variant":"loan_list"})");
    CHECK(got.steps[1].turn.facts.json("injected").empty());
    CHECK(got.steps[1].turn.time == spoor::Timestamp{1'785'000'000'035'000});
    REQUIRE(got.steps[11].turn.attach.size() >= 1);
    CHECK(got.steps[11].turn.attach[0].media_type == "image/png");
    CHECK(got.steps[11].turn.facts.text("uuid") == "msg-7");
    REQUIRE(got.steps[4].turn.attach.size() == 1);
    CHECK(got.steps[4].turn.attach[0].bytes ==
          R"({"event":{"description":"Looking at 9","display":{"kind":"shelf","row":"upper"}}})");
    REQUIRE(got.steps[9].turn.attach.size() == 1);
    CHECK(got.steps[9].turn.attach[0].bytes == R"({"event":{"part":{"encrypted":"c2VhbA=="}}})");
  }

  TEST_CASE("Kimi Code: what is no turn is a note by its name") {
    const StepsImport got = imported(agent_sample("kimi/wire.jsonl"));
    CHECK(got.report.is_clean());
    CHECK(got.report.unknown ==
          LossReport::Counts{{"context.append_loop_event/content.part", 1}, {"lamp.lit", 1}});
    CHECK(got.report.kept == LossReport::Counts{{"config.update", 2},
                                                {"context.append_loop_event/content.part", 1},
                                                {"context.append_loop_event/step.begin", 5},
                                                {"context.append_loop_event/step.end", 3},
                                                {"context.undo", 1},
                                                {"full_compaction.begin", 1},
                                                {"full_compaction.complete", 1},
                                                {"lamp.lit", 1},
                                                {"llm.request", 3},
                                                {"llm.tools_snapshot", 1},
                                                {"metadata", 1},
                                                {"permission.record_approval_result", 1},
                                                {"token_counting.measured", 1},
                                                {"tools.set_active_tools", 1},
                                                {"turn.cancel", 1},
                                                {"turn.ended", 1},
                                                {"turn.prompt", 5},
                                                {"turn.steer", 1},
                                                {"usage.record", 4}});
    CHECK(got.ref_list().size() == 3);  // The line, what was undone, and the notes.
    CHECK(outline(history(*got.repository, got.report.main_ref + "-2"))
              .ends_with("unstamped.|user:Count the globes."));
  }

  TEST_CASE("Kimi Code: a compaction leaves the instructions and the prompts it keeps") {
    const StepsImport got = imported(agent_sample("kimi/wire.jsonl"));
    CHECK(prompt_texts(*got.repository, got.report.main_ref) ==
          std::vector<std::string>{
              "Then order one.",
              "What came before in short: the atlas is on nine; a globe costs forty crowns.",
              "You keep the books of two libraries.", "Good. Close the ledger.", "Closed."});

    const std::string talk = wire_user("one") + whole_step("s1", "A") + wire_user("two") +
                             whole_step("s2", "B") + wire_user("three") + whole_step("s3", "C");
    const auto compacted = [&](const std::string& kept) {
      const StepsImport all = imported(
          kWireHead + talk + wire_record("context.apply_compaction", R"(,"summary":"Z")" + kept));
      std::string texts;
      for (const auto& text : prompt_texts(*all.repository, all.report.main_ref)) texts += text;
      return texts;
    };
    CHECK(compacted(R"(,"keptUserMessageCount":3)") == "SonetwothreeZ");
    CHECK(compacted(R"(,"keptUserMessageCount":2,"keptHeadUserMessageCount":1)") == "SonethreeZ");
    CHECK(compacted(R"(,"keptUserMessageCount":9)") == "SonetwothreeZ");
    CHECK(compacted(R"(,"keptUserMessageCount":0)") == "SZ");
    CHECK(compacted(R"(,"compactedCount":4)") == "SZthreeC");  // As early versions have it.
    // What was said in a step behind a message is undone with the message.
    const StepsImport late = imported(
        kWireHead + wire_user("one") + wire_begin("s1") + wire_user("P") + wire_text("s1", "A") +
        wire_end("s1") + wire_record("context.undo", R"(,"count":1)") + wire_user("two") +
        wire_record("context.apply_compaction", R"(,"summary":"Z","compactedCount":9)"));
    CHECK(prompt_texts(*late.repository, late.report.main_ref) ==
          std::vector<std::string>{"S", "Z"});
    const auto cost = [&](const std::string& told) {
      const StepsImport all =
          imported(kWireHead + talk + wire_record("full_compaction.begin") + told +
                   wire_record("context.apply_compaction", R"(,"summary":"Z")"));
      return all.steps.back().turn.facts.json("usage");
    };
    const std::string once = wire_record("usage.record", R"(,"usage":{"inputOther":1})");
    CHECK(cost(once) == R"({"inputOther":1})");
    CHECK(cost(once + once).empty());
    CHECK(cost(wire_record("full_compaction.cancel") + once).empty());
    CHECK(cost("").empty());
    const StepsImport asked = imported(
        kWireHead + talk + wire_record("full_compaction.begin") +
        wire_record("llm.request", R"(,"kind":"compaction","model":"pear-3","provider":"o")") +
        wire_record("context.apply_compaction", R"(,"summary":"Z")"));
    CHECK(asked.steps.back().turn.facts.text("model") == "pear-3");
    CHECK(asked.steps.back().turn.facts.text("provider") == "o");
    CHECK(compacted("") == "SoneAtwoBthreeCZ");  // Nothing is said to be replaced.
  }

  TEST_CASE("Kimi Code: a step whose end is not here is replaced by the one of a longer copy") {
    const std::string front =
        kWireHead + wire_user("one") + wire_begin("s1") + wire_text("s1", "A");
    StepsImport got = imported(front);
    CHECK(got.outline() == "system:S|user:one|assistant:A");
    CHECK(got.report.is_clean());
    got.add(front + wire_end("s1"));
    CHECK(got.outline() == "system:S|user:one|assistant:A");
    CHECK(got.report.is_clean());
    CHECK(got.steps[2].turn.facts.json("usage") == R"({"inputOther":5,"output":7})");
    CHECK(got.steps[2].turn.facts.text("model") == "alias/m");
    CHECK(got.ref_list().size() == 2);
  }

  TEST_CASE("Kimi Code: only the last that was said waits, and a cancelled step has no end") {
    const std::string call = wire_event(
        R"({"type":"tool.call","stepUuid":"s1","toolCallId":"c1","name":"n","args":{}})");
    const std::string result =
        wire_event(R"({"type":"tool.result","toolCallId":"c1","result":{"output":"O"}})");
    const std::string usage = wire_record("usage.record", R"(,"usage":{"inputOther":3})");
    const std::string begun = kWireHead + wire_begin("s1") + wire_text("s1", "A") + call;
    StepsImport got = imported(begun + result);
    CHECK(got.outline() == "system:S|assistant:A|assistant:|tool:O");
    CHECK(got.facts("usage") == "- - - - ");
    got.add(begun + result + usage + wire_record("turn.cancel"));
    CHECK(got.outline() == "system:S|assistant:A|assistant:|tool:O");
    CHECK(got.report.is_clean());
    CHECK(got.facts("usage") == R"(- - {"inputOther":3} - )");
    CHECK(got.ref_list().size() == 2);
    const StepsImport drained = imported(begun + wire_record("turn.cancel") + result + usage);
    CHECK(drained.outline() == got.outline());
    CHECK(drained.facts("usage") == "- - - - ");
    const StepsImport ended = imported(begun + usage + result + wire_end("s1"));
    CHECK(ended.facts("usage") == R"(- - {"inputOther":5,"output":7} - )");
  }

  TEST_CASE("Kimi Code: a step that was left ends where the next one or another turn begins") {
    const std::string begun = kWireHead + wire_user("one") + wire_begin("s1") +
                              wire_text("s1", "A") + wire_text("s1", "B");
    CHECK(imported(begun + whole_step("s2", "C")).outline() ==
          "system:S|user:one|assistant:A|assistant:B|assistant:C");
    CHECK(imported(begun + wire_record("turn.prompt") + wire_user("two")).outline() ==
          "system:S|user:one|assistant:A|assistant:B|user:two");
    const StepsImport other = imported(begun + wire_text("s9", "C") + wire_end("s9"));
    CHECK(other.outline() == "system:S|user:one|assistant:A|assistant:B|assistant:C");
    CHECK(other.facts("message_id") == R"(- - "s1" "s1" "s9" )");
    CHECK(other.facts("finish_reason") == R"(- - - - "end_turn" )");
    const StepsImport unended = imported(begun + wire_end("s7") + wire_record("turn.ended"));
    CHECK(unended.facts("finish_reason") == "- - - - ");
  }

  TEST_CASE("Kimi Code: undoing more prompts than there are undoes nothing") {
    const std::string talk = kWireHead + wire_user("one") + whole_step("s1", "A") +
                             wire_user("two") + whole_step("s2", "B");
    CHECK(imported(talk + wire_record("context.undo", R"(,"count":2)") + wire_user("three"))
              .outline() == "system:S|user:three");
    CHECK(imported(talk + wire_record("context.undo", R"(,"count":3)") + wire_user("three"))
              .outline() == "system:S|user:one|assistant:A|user:two|assistant:B|user:three");
    const StepsImport cleared = imported(talk + wire_record("context.clear") + wire_user("three"));
    CHECK(cleared.outline() == "system:S|user:three");
    CHECK(outline(history(*cleared.repository, cleared.report.main_ref + "-2")) ==
          "system:S|user:one|assistant:A|user:two|assistant:B");
  }

  TEST_CASE("Kimi Code: instructions are not undone or cleared") {
    const auto instructed = [](const std::string& text) {
      return wire_record("config.update", R"(,"systemPrompt":")" + text + "\"");
    };
    const std::string later =
        kWireHead + wire_user("one") + instructed("T") + whole_step("s1", "A");
    const std::string undone = wire_record("context.undo", R"(,"count":1)");
    CHECK(imported(later + undone + instructed("T") + wire_user("two")).outline() ==
          "system:S|system:T|user:two");
    CHECK(imported(later + undone + wire_user("two")).outline() == "system:S|system:T|user:two");
    CHECK(imported(later + undone + instructed("S") + wire_user("two")).outline() ==
          "system:S|system:T|system:S|user:two");
    CHECK(prompt_texts(*imported(later + undone + wire_user("two")).repository,
                       imported(later + undone + wire_user("two")).report.main_ref) ==
          std::vector<std::string>{"T", "two"});
    const std::string cleared = wire_record("context.clear");
    CHECK(imported(later + cleared + instructed("T") + wire_user("two")).outline() ==
          "system:S|system:T|user:two");
    const StepsImport twice = imported(later + cleared + wire_user("two") + cleared);
    CHECK(twice.outline() == "system:S|system:T");
    CHECK(twice.report.kept.at("context.clear") == 1);  // The second took nothing away.
  }

  TEST_CASE("Kimi Code: what a step cost may be told before its end alone") {
    const std::string begun = kWireHead + wire_begin("s1") + wire_text("s1", "A");
    const std::string usage = wire_record("usage.record", R"(,"usage":{"inputOther":3})");
    const StepsImport got = imported(
        begun + usage + wire_event(R"({"type":"step.end","uuid":"s1","finishReason":"end_turn"})"));
    CHECK(got.facts("usage") == R"(- {"inputOther":3} )");
    CHECK(got.facts("finish_reason") == R"(- "end_turn" )");
  }

  TEST_CASE("Kimi Code: records that wait for the end of a step are no more than 16 MiB") {
    const std::string result = wire_event(R"({"type":"tool.result","result":{"output":")" +
                                          std::string(9U << 20U, 'o') + R"("}})");
    const StepsImport got = imported(kWireHead + wire_begin("s1") + wire_text("s1", "A") + result +
                                     result + wire_text("s1", "B"));
    REQUIRE(got.steps.size() == 5);
    CHECK(got.steps[1].turn.text == "A");
    CHECK(got.steps[4].turn.text == "B");
  }

  TEST_CASE("Kimi Code: a log of its forerunner, which has another form, is not taken") {
    const auto takes = [](const std::string& text) { return importers_of(text) == "kimi "; };
    CHECK(takes(kWireHead));
    CHECK_FALSE(takes(R"({"type":"metadata","protocol_version":"1.3"})"
                      "\n"
                      R"({"timestamp":1,"message":{"type":"TurnBegin","payload":{}}})"));
  }

  TEST_CASE("Kimi CLI: a context has its system prompt, thoughts and messages") {
    const std::string text = agent_sample("kimi/context.jsonl");
    const StepsImport got = imported(text);
    CHECK(importers_of(text) == "kimi ");
    CHECK(got.outline() ==
          "system:You keep the lighthouse log.|user:Is the lamp lit?|reasoning:The log tells it."
          "|assistant:I look.|tool:<system>1 line read.</system>lit 18:40\n"
          "|assistant:It is lit since 18:40.|user:And the horn?");
    CHECK(got.calls() == R"(ReadFile:0:ReadFile({"path": "lamp.log"}) =ReadFile:0 )");
    CHECK(got.steps[2].turn.fields.format == "parsed");
    REQUIRE(got.steps[2].turn.raw.size() == 1);
    CHECK(got.steps[2].turn.raw[0].bytes.find("c2VhbGVkLTE=") != std::string::npos);
    CHECK(got.report.kept == LossReport::Counts{{"_checkpoint", 3}, {"_usage", 2}});
    CHECK(got.report.unknown.empty());
  }

  TEST_CASE("Kimi CLI: contexts with one system prompt are lines of their own") {
    const std::string system = R"({"role":"_system_prompt","content":"You look."})"
                               "\n";
    StepsImport got = imported(system);
    CHECK(got.report.main_ref.find("unnamed-") != std::string::npos);
    const std::string unnamed = got.report.main_ref;
    got.add(system + R"({"role":"user","content":"a"})" + "\n");
    const std::string first = got.report.main_ref;
    got.add(system + R"({"role":"user","content":"b"})" + "\n");
    CHECK(first != got.report.main_ref);
    CHECK(got.outline() == "system:You look.|user:b");
    CHECK_FALSE(got.repository->store().ref(unnamed).value().has_value());
  }

  // --- Grok CLI -------------------------------------------------------------

  TEST_CASE("Grok CLI: the items of an answer are one message, the last names the model") {
    const StepsImport got = imported(agent_sample("grok/chat_history.jsonl"));
    CHECK(got.outline() ==
          "system:You tend the weather station on the hill."
          "|user:<user_info>\nStation: hill, north slope\n</user_info>"
          "|user:<system-reminder>\nRead the gauges before noon.\n</system-reminder>"
          "|user:How much rain fell?|reasoning:The gauge tells it.\n\nSo does the bucket."
          "|assistant:|reasoning:|assistant:I read both.|tool:31|tool:a picture of the bucket"
          "|user:Inches, please.|assistant:31 mm, that is 1.22 inches.|user:And this cloud?"
          "|assistant:Only a dot.");
    CHECK(got.calls() ==
          R"(call-5d12-0:gauge({"unit": "mm"}) call-5d12-1:bucket() =call-5d12-0 =call-5d12-1 )");
    CHECK(got.facts("message_id") ==
          R"(- - - - "rs_5d10-rain" "rs_5d10-rain" "rs_5d10-rain" "rs_5d10-rain" - - - - - - )");
    CHECK(got.authors() == "- - - user - - - hail-2 - - user hail-2-b user hail-2-b ");
    CHECK(got.facts("injected") == "- true true - - - - - - - - - - - ");
    CHECK(got.facts("origin") ==
          R"(- - "project_instructions" - - - - - - - "interjection" - - - )");
    CHECK(got.facts("model") == R"(- - - - - - - "hail-2" - - - "hail-2-b" - "hail-2-b" )");
    CHECK(got.facts("effort") == R"(- - - - - - - "high" - - - - - - )");
    CHECK(got.facts("prompt_index") == "- - - 0 - - - - - - - - 1 - ");
  }

  TEST_CASE("Grok CLI: reasonings stay sealed, hosted calls, pictures and the unknown are kept") {
    const StepsImport got = imported(agent_sample("grok/chat_history.jsonl"));
    REQUIRE(got.steps.size() == 14);
    CHECK(got.steps[4].turn.fields.format == "responses");
    REQUIRE(got.steps[6].turn.raw.size() == 1);
    CHECK(got.steps[6].turn.raw[0].bytes ==
          R"({"type":"reasoning","id":"rs_5d11-more","summary":[],)"
          R"("encrypted_content":"gAAAAABmore==","status":"completed"})");
    CHECK_FALSE(got.steps[5].turn.fields.tool_calls);
    REQUIRE(got.steps[5].turn.attach.size() == 1);
    CHECK(got.steps[5].turn.attach[0].bytes.starts_with(R"({"kind":{"tool_type":"web_search",)"));
    REQUIRE(got.steps[9].turn.attach.size() == 1);
    CHECK(got.steps[9].turn.attach[0].media_type == "image/png");
    REQUIRE(got.steps[12].turn.attach.size() == 2);  // The blurred one stays as it is.
    CHECK(got.steps[12].turn.attach[0].media_type == "image/png");
    CHECK(got.steps[12].turn.attach[1].bytes.find("<blurred>") != std::string::npos);
    CHECK(got.steps[12].turn.attach[1].bytes.find("mid_turn_abort") != std::string::npos);
    CHECK(got.report.kept == LossReport::Counts{{"barometer", 1}});
    CHECK(got.report.unknown == LossReport::Counts{{"barometer", 1}});
    CHECK(got.ref_list().size() == 2);
  }

  TEST_CASE("Grok CLI: histories of one system prompt are told apart by what was asked first") {
    const std::string system = R"({"type":"system","content":"S"})"
                               "\n";
    const auto asked = [&](const std::string& text) {
      return system + R"({"type":"user","content":[{"type":"text","text":")" + text +
             R"("}],"prompt_index":0})" + "\n" + R"({"type":"assistant","content":"A"})" + "\n";
    };
    StepsImport got = imported(system + R"({"type":"user","content":[{"type":"text","te)");
    got.add(asked("one"));
    const std::string first = got.report.main_ref;
    got.add(asked("two"));
    CHECK(got.report.main_ref != first);
    CHECK(got.ref_list() == std::vector<std::string>{std::min(first, got.report.main_ref),
                                                     std::max(first, got.report.main_ref)});
    CHECK(got.outline() == "system:S|user:two|assistant:A");
  }

  TEST_CASE("Grok CLI: a reasoning that would be a message is kept as it stands") {
    const StepsImport got = imported(R"({"type":"system","content":"S"})"
                                     "\n"
                                     R"({"type":"user","content":[{"type":"text","text":"U"}]})"
                                     "\n"
                                     R"({"type":"reasoning","role":"user","summary":[]})"
                                     "\n");
    CHECK(got.outline() == "system:S|user:U");
    CHECK(got.report.kept == LossReport::Counts{{"reasoning", 1}});
  }

  TEST_CASE("Grok CLI: a first record that only looks like its own is not taken") {
    const std::string system = R"({"type":"system","content":"S"})";
    CHECK(importers_of(system + "\n" +
                       R"({"type":"user","content":[{"type":"text","text":"hi"}]})") == "grok ");
    CHECK(importers_of(system).empty());
    CHECK(importers_of(system + "\n" + R"({"type":"user","message":{"content":[]}})") != "grok ");
    CHECK(importers_of(R"({"type":"system","content":"S","subtype":"init"})"
                       "\n"
                       R"({"type":"user","content":[]})") != "grok ");
  }

  // --- Antigravity ----------------------------------------------------------

  TEST_CASE("Antigravity: steps of the planner are answers, of its tools results") {
    const StepsImport got = imported(agent_sample("antigravity/transcript.jsonl"));
    CHECK(got.kinds() ==
          "user reasoning assistant assistant tool tool tool tool summary reasoning assistant tool "
          "tool user tool user reasoning assistant ");
    CHECK(got.calls() ==
          R"(step-3-1:list_dir({"DirectoryPath": "\"/yard\"","toolSummary":"\"Looking at the )"
          R"(yard\""}) step-3-2:default_api:view_file({"AbsolutePath":"\"/yard/plan.txt\""}) )"
          R"(step-3-3:run_command({"CommandLine":"\"hammer --dry\""}) =step-3-1 =step-3-2 )"
          R"(!step-3-3 = step-10-1:search_web({"query":"\"hammer\""}) )"
          R"(step-10-2:write_to_file({"TargetFile":"\"/yard/note.txt\""}) = = = )");
    CHECK(got.steps[0].turn.text.starts_with("<USER_REQUEST>\nMend the fence."));
    CHECK(got.steps[1].turn.text == "First I need to know which boards are loose.");
    CHECK(got.steps[1].turn.fields.format == "parsed");
    CHECK(got.steps[2].turn.text == "I look at the yard and at the plan.");
    CHECK(got.steps[4].turn.text == "{\"name\":\"plan.txt\"}\n");
    CHECK(got.steps[4].turn.fields.name == "LIST_DIRECTORY");
    CHECK(got.steps[8].turn.text == "{{ CHECKPOINT 0 }}\nNine boards, no hammer.");
    CHECK(got.steps[13].turn.facts.json("injected") == "true");
    CHECK(got.steps[14].turn.fields.name == "FENCE_PAINTED");
    CHECK(got.steps[17].turn.text == "Tomorrow, with a hammer.");
    CHECK(got.report.kept == LossReport::Counts{{"CONVERSATION_HISTORY", 1},
                                                {"EPHEMERAL_MESSAGE", 1},
                                                {"KNOWLEDGE_ARTIFACTS", 1}});
    CHECK(got.report.unknown.empty());
    CHECK(got.ref_list().size() == 2);
  }

  TEST_CASE("Antigravity: the chosen model, names of steps, times and what stays attached") {
    const StepsImport got = imported(agent_sample("antigravity/transcript.jsonl"));
    REQUIRE(got.steps.size() == 18);
    const std::string model = "\"Wicket 2.5 Pro (Low)\" ";
    CHECK(got.facts("model") == "- " + model + model + model + "- - - - - " + model + model +
                                    "- - - - - " + model + model);
    CHECK(got.steps[0].turn.author == "user");
    CHECK(got.steps[2].turn.author == "Wicket 2.5 Pro (Low)");
    CHECK(got.steps[15].turn.author.empty());  // Nobody says who USER_IMPLICIT is.
    CHECK(got.facts("step") == "0 2 2 3 4 6 7 8 9 10 10 11 12 13 14 15 16 2 ");
    CHECK(got.steps[2].turn.facts.text("message_id") == "step-2");
    CHECK(got.steps[1].turn.facts.text("message_id") == "step-2");
    // A number that an earlier answer had names no second one.
    CHECK(got.steps[17].turn.facts.text("message_id").starts_with("step-"));
    CHECK(got.steps[17].turn.facts.text("message_id") != "step-2");
    CHECK(got.steps[0].turn.time == spoor::parse_rfc3339("2026-04-11T08:00:00Z").value());
    CHECK_FALSE(got.steps[17].turn.time);
    REQUIRE(got.steps[17].turn.attach.size() == 1);
    CHECK(got.steps[17].turn.attach[0].bytes == R"({"created_at":"tomorrow"})");
    REQUIRE(got.steps[5].turn.attach.size() == 1);
    CHECK(got.steps[5].turn.attach[0].bytes == R"({"truncated_fields":["content"]})");
    REQUIRE(got.steps[6].turn.attach.size() == 1);
    CHECK(got.steps[6].turn.attach[0].bytes == R"({"status":"ERROR"})");
    CHECK(got.steps[0].turn.attach.empty());
  }

  TEST_CASE("Antigravity: results answer open calls in their order, and only while that is sure") {
    const auto step = [](int index, const std::string& source, const std::string& type,
                         const std::string& more) {
      return R"({"step_index":)" + std::to_string(index) + R"(,"source":")" + source +
             R"(","type":")" + type + R"(","status":"DONE",)" + more + "}\n";
    };
    const auto result = [&](int index, const std::string& type) {
      return step(index, "MODEL", type, R"("content":"R")");
    };
    const std::string two = step(1, "MODEL", "PLANNER_RESPONSE",
                                 R"("tool_calls":[{"name":"view_file","args":{}},)"
                                 R"({"name":"juggle","args":{}}])");
    const std::string called = "step-1-1:view_file({}) step-1-2:juggle({}) ";
    const auto calls = [](const std::string& text) { return imported(text).calls(); };
    CHECK(calls(two + result(2, "VIEW_FILE") + result(3, "GENERIC")) ==
          called + "=step-1-1 =step-1-2 ");
    // What is no step of this tool answers nothing, nor does what comes behind it.
    CHECK(calls(two + result(2, "RUN_COMMAND") + result(3, "VIEW_FILE")) == called + "= = ");
    CHECK(calls(two + result(2, "JUGGLED") + result(3, "VIEW_FILE")) == called + "= = ");
    // One more than was called is nobody's, nor is one behind the next answer or input.
    CHECK(calls(two + result(2, "VIEW_FILE") + result(3, "GENERIC") + result(4, "GENERIC")) ==
          called + "=step-1-1 =step-1-2 = ");
    CHECK(calls(two + step(2, "MODEL", "PLANNER_RESPONSE", R"("content":"x")") +
                result(3, "VIEW_FILE")) == called + "= ");
    CHECK(calls(two + step(2, "USER_EXPLICIT", "USER_INPUT", R"("content":"x")") +
                result(3, "VIEW_FILE")) == called + "= ");
  }

  TEST_CASE("Antigravity: what the user typed of models is not what was chosen") {
    const auto model_of = [](const std::string& input) {
      const StepsImport got = imported(
          R"({"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","content":")" + input +
          "\"}\n" + R"({"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","content":"x"})" +
          "\n");
      return got.steps.back().turn.facts.text("model");
    };
    const std::string change =
        R"(<USER_SETTINGS_CHANGE>\nThe user changed setting `Model Selection` from A 1.5 to B 2.5 (Low).\n</USER_SETTINGS_CHANGE>)";
    CHECK(model_of(R"(<USER_REQUEST>\nhi\n</USER_REQUEST>\n)" + change) == "B 2.5 (Low)");
    CHECK(model_of(R"(<USER_REQUEST>\n)" + change + R"(\n</USER_REQUEST>)").empty());
    CHECK(model_of(change).empty());
    CHECK(model_of("hi").empty());
  }
}
