// What becomes of the records of Copilot, Qwen Code, Droid and Cursor: the samples of
// tests/data/import, read back; and shapes that are too odd for a sample.

#include <doctest/doctest.h>

#include "llm/source_usage.h"
#include "tests/import/loss.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::compile::ToolCall;
using spoor::import::TextSource;
using Counts = LossReport::Counts;

namespace {

/// A log that was imported by whoever recognises it.
struct AgentLog {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;
  std::string text;

  explicit AgentLog(std::string log) : text(std::move(log)) {
    TextSource source("log.jsonl", text);
    report = spoor::import::import_source(source, *repository, {}).value();
  }
  static AgentLog sample(const std::string& path) {
    return AgentLog(read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import" / path));
  }

  std::vector<Step> line(const std::string& suffix = {}) const {
    return history(*repository, report.main_ref + suffix);
  }
  /// The heads and sources, without what they all begin with.
  std::string refs() const {
    std::string all;
    for (const std::string& name : ref_names(*repository)) {
      all += name.substr(std::string("refs/").size()) + " ";
    }
    return all;
  }
  /// The bytes of all notes.
  std::string notes() const {
    for (const std::string& name : ref_names(*repository)) {
      if (!name.starts_with("refs/sources/")) continue;
      return outline(history(*repository, name));
    }
    return {};
  }
};

/// `id:name(arguments)` of each call, `=call` of each result with `!` where it failed.
std::string calls_of(const std::vector<Step>& steps) {
  std::string all;
  for (const Step& step : steps) {
    for (const ToolCall& call : step.turn.fields.tool_calls.value_or(std::vector<ToolCall>())) {
      all += call.id + ":" + call.name + "(" + call.arguments + ") ";
    }
    if (step.turn.type != spoor::compile::Type::tool) continue;
    all += "=" + step.turn.fields.call_id + (step.turn.fields.is_error ? "! " : " ");
  }
  return all;
}

/// A fact of each step, `-` where there is none.
std::string facts_of(const std::vector<Step>& steps, const std::string& key) {
  std::string all;
  for (const Step& step : steps) {
    const std::string value = step.turn.facts.json(key);
    all += (value.empty() ? "-" : value) + " ";
  }
  return all;
}

std::string authors_of(const std::vector<Step>& steps) {
  std::string all;
  for (const Step& step : steps) all += (step.turn.author.empty() ? "-" : step.turn.author) + " ";
  return all;
}

/// What is attached to a step as JSON.
std::string rest_of(const Step& step) {
  for (const auto& item : step.turn.attach) {
    if (item.media_type == "application/json") return item.bytes;
  }
  return {};
}

/// A record of Qwen Code's, with `parent` and `more` as JSON.
std::string qwen_record(const std::string& uuid, const std::string& parent, const std::string& type,
                        const std::string& more) {
  return R"({"uuid":")" + uuid + R"(","parentUuid":)" + parent +
         R"(,"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","type":")" + type + R"(",)" + more +
         "}";
}

std::string qwen_text(const std::string& role, const std::string& said) {
  return R"("message":{"role":")" + role + R"(","parts":[{"text":")" + said + R"("}]})";
}

/// An event of Copilot's, with `parent` and `data` as JSON.
std::string copilot_event(const std::string& type, const std::string& id, const std::string& parent,
                          const std::string& data) {
  return R"({"type":")" + type + R"(","data":)" + data + R"(,"id":")" + id +
         R"(","timestamp":"2026-01-01T00:00:00Z","parentId":)" + parent + "}\n";
}

const std::string kQwenRewind = R"("subtype":"rewind","systemPayload":{"x":1})";

spoor::llm::Usage usage_of(const Step& step) {
  const std::string json = step.turn.facts.json("usage");
  const auto document = spoor::json::parse(json);
  REQUIRE(document.has_value());
  return spoor::llm::read_source_usage(document->root()).usage;
}

}  // namespace

TEST_SUITE("import/agent_logs") {
  // --- Copilot ----------------------------------------------------------------

  TEST_CASE("Copilot: messages, reasoning, calls and results, by the events that say them") {
    const AgentLog got = AgentLog::sample("copilot/events.jsonl");
    CHECK(got.report.main_ref == "refs/heads/copilot/c0b1a7e5");
    CHECK(got.refs() ==
          "heads/copilot/c0b1a7e5 heads/copilot/c0b1a7e5-2 heads/copilot/c0b1a7e5-agent-call_o3 "
          "sources/copilot/c0b1a7e5-4410-4d0e-9a51-2f77d1c0ffee ");
    const auto steps = got.line();
    CHECK(outline(steps) ==
          "system:You tend trees.|user:<now>08:00</now>\nHow many pears are ripe?|"
          "reasoning:A row is a tree.|"
          "assistant:I count.|tool:nothing to apply|tool:12 rows.csv\n|assistant:I ask a helper.|"
          "tool:Row 3 is green.|reasoning:Twelve less one.|assistant:Eleven are ripe.|"
          "user:<reminder>Water is short.</reminder>|compress:Eleven of twelve pears are ripe.|"
          "user:Pick the plums instead.");
    CHECK(calls_of(steps) == R"(call_o1:bash({"command": "wc -l  rows.csv"}) )"
                             "call_o2:apply(*** begin\n+ripe) =call_o2! =call_o1 "
                             R"(call_o3:task({"prompt":"Look at row 3"}) =call_o3 )");
    CHECK(authors_of(steps) ==
          "- user pear-mini pear-mini - - pear-mini - pear-mini pear-mini - - user ");
    CHECK(facts_of(steps, "message_id") == R"(- - "msg-1" "msg-1" - - "msg-2" - - "msg-3" - - - )");
    CHECK(facts_of(steps, "model") == R"(- - "pear-mini" "pear-mini" - - "pear-mini" - )"
                                      R"("pear-mini" "pear-mini" - - - )");
    CHECK(facts_of(steps, "injected") == "- - - - - - - - - - true - - ");
    CHECK(steps[2].turn.fields.format == "parsed");
    CHECK(steps[3].turn.facts.text("request_id") == "REQ-1");
    CHECK(steps[3].turn.facts.json("usage") == R"({"outputTokens":41})");
    CHECK(usage_of(steps[3]).output == 41);
    CHECK_FALSE(usage_of(steps[3]).input.has_value());
    CHECK(steps[3].turn.facts.text("turn_id") == "0");
    CHECK(steps[3].turn.facts.text("agent_version") == "1.0.77");
    CHECK(steps[3].turn.facts.text("uuid") == "o6");
    CHECK(steps[3].turn.facts.text("session") == "c0b1a7e5-4410-4d0e-9a51-2f77d1c0ffee");
    CHECK(steps[3].commit.time->micros == 1'775'203'205'000'000);
    CHECK(facts_of(steps, "git_branch").starts_with(R"("grafts" "grafts" )"));
    CHECK(steps[12].turn.facts.text("git_branch") == "south");
    CHECK(steps[12].turn.facts.text("cwd") == "/home/dev/orchard/south");
    CHECK(prompt_texts(*got.repository, got.report.main_ref) ==
          std::vector<std::string>{"You tend trees.", "Eleven of twelve pears are ripe.",
                                   "Pick the plums instead."});
  }

  TEST_CASE("Copilot: what a message says beyond its turn is attached") {
    const AgentLog got = AgentLog::sample("copilot/events.jsonl");
    const auto steps = got.line();
    CHECK(rest_of(steps[1]) ==
          R"({"data":{"attachments":[{"type":"file","path":"/home/dev/orchard/rows.csv",)"
          R"("displayName":"rows.csv"},{"type":"blob","mimeType":"image/png"}],)"
          R"("interactionId":"int-1"}})");
    REQUIRE(steps[1].turn.attach.size() == 2);
    CHECK(steps[1].turn.attach[0].media_type == "image/png");
    CHECK(rest_of(steps[3]) ==
          R"({"data":{"toolRequests":[{"intentionSummary":"Count rows"},{"type":"custom"}],)"
          R"("interactionId":"int-1","apiCallId":"chat-1"}})");
    CHECK(rest_of(steps[4]) == R"({"data":{"error":{"code":"denied"}}})");
    CHECK(steps[5].turn.attach.at(0).media_type == "image/png");
    CHECK(rest_of(steps[5]).find("exitCode") == std::string::npos);
    CHECK(steps[5].turn.facts.json("exit_code") == "0");
    CHECK(rest_of(steps[7]) ==
          R"({"data":{"result":{"detailedContent":"Row 3 is green, said the looker."}}})");
    CHECK(rest_of(steps[12]).empty());
  }

  TEST_CASE("Copilot: a subagent has a line of its own, and a second question is a branch") {
    const AgentLog got = AgentLog::sample("copilot/events.jsonl");
    const auto agent = got.line("-agent-call_o3");
    CHECK(outline(agent) == "user:Look at row 3|assistant:|tool:green|assistant:Row 3 is green.");
    CHECK(calls_of(agent) == R"(call_s1:view({"row":3}) =call_s1 )");
    CHECK(facts_of(agent, "agent") == R"("call_o3" "call_o3" "call_o3" "call_o3" )");
    CHECK(authors_of(agent) == "- - - - ");  // Whose model it is is not said.
    const auto other = got.line("-2");
    REQUIRE(other.size() == 14);
    CHECK(other[12].turn.text == "Pick them.");
    CHECK(other[13].turn.text == "Picked.");
    CHECK(other[13].turn.facts.text("model") == "plum-2");
    CHECK(other[11].oid == got.line()[11].oid);
    CHECK(got.report.missing_parents == 0);
  }

  TEST_CASE("Copilot: every other event is a note, by its name") {
    const AgentLog got = AgentLog::sample("copilot/events.jsonl");
    CHECK(got.report.kept == Counts{{"abort", 1},
                                    {"assistant.turn_end", 1},
                                    {"assistant.turn_start", 1},
                                    {"hook.end", 1},
                                    {"hook.start", 1},
                                    {"orchard.bloomed", 1},
                                    {"session.compaction_start", 1},
                                    {"session.context_changed", 1},
                                    {"session.model_change", 1},
                                    {"session.shutdown", 1},
                                    {"session.start", 1},
                                    {"session.usage_checkpoint", 1},
                                    {"subagent.completed", 1},
                                    {"subagent.started", 1},
                                    {"system.message", 1},
                                    {"tool.execution_start", 1}});
    CHECK(got.report.unknown == Counts{{"orchard.bloomed", 1}});
    CHECK(got.report.duplicates == Counts{{"abort", 1}});
    CHECK(got.notes().find(R"(|note:{"type":"tool.execution_start","data":{)") !=
          std::string::npos);
  }

  TEST_CASE("Copilot: the system message stands before the prompt that it is written behind") {
    const std::string session =
        copilot_event("session.start", "e1", "null", R"({"sessionId":"first"})");
    const std::string front = session +
                              copilot_event("user.message", "e2", R"("e1")", R"({"content":"q"})") +
                              copilot_event("hook.start", "e3", R"("e2")", R"({"hookType":"a"})");
    const std::string text =
        front +
        copilot_event("system.message", "e4", R"("e3")", R"({"content":"s","role":"system"})") +
        copilot_event("assistant.turn_start", "e5", R"("e4")", R"({"turnId":"0"})") +
        copilot_event("assistant.message", "e6", R"("e5")", R"({"content":"a"})") +
        copilot_event("user.message", "e7", R"("e6")", R"({"content":"r"})");
    const AgentLog got(text);
    CHECK(outline(got.line()) == "system:s|user:q|assistant:a|user:r");
    CHECK(got.report.missing_parents == 0);
    // A front without the system message is superseded.
    AgentLog grown(front);
    CHECK(outline(grown.line()) == "user:q");
    TextSource whole("log", text);
    spoor::import::import_source(whole, *grown.repository, {}).value();
    CHECK(outline(grown.line()) == outline(got.line()));
  }

  TEST_CASE("Copilot: a request's usage belongs to the answer of the same call") {
    const auto usage = [](const std::string& id, const std::string& parent,
                          const std::string& call) {
      return copilot_event(
          "session.usage_record", id, parent,
          R"({"usage":{"inputTokens":30,"outputTokens":4,"cacheReadTokens":20,"cost":1.5,)"
          R"("finishReason":"stop","apiCallId":")" +
              call + R"("}})");
    };
    const AgentLog got(copilot_event("session.start", "e1", "null", R"({"sessionId":"s"})") +
                       usage("e2", R"("e1")", "c1") + usage("e3", R"("e2")", "c2") +
                       copilot_event("assistant.message", "e4", R"("e3")",
                                     R"({"content":"a","apiCallId":"c1","outputTokens":4})"));
    const auto steps = got.line();
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].turn.facts.json("usage") ==
          R"({"cacheReadTokens":20,"inputTokens":30,"outputTokens":4})");
    CHECK(usage_of(steps[0]).input == 10);
    CHECK(usage_of(steps[0]).cached == 20);
    CHECK(usage_of(steps[0]).output == 4);
    CHECK(steps[0].turn.facts.text("finish_reason") == "stop");
    CHECK(got.report.unknown.empty());
  }

  TEST_CASE("Copilot: what was typed stays beside what was sent where that does not hold it") {
    const AgentLog got(copilot_event("session.start", "e1", "null", R"({"sessionId":"s"})") +
                       copilot_event("user.message", "e2", R"("e1")",
                                     R"({"content":"/plan it","transformedContent":"Plan it."})"));
    const auto steps = got.line();
    CHECK(steps[0].turn.text == "Plan it.");
    CHECK(rest_of(steps[0]) == R"({"data":{"content":"/plan it"}})");
  }

  TEST_CASE("Copilot: what a shell ended with is a fact of its result") {
    const AgentLog got(
        copilot_event("session.start", "e1", "null", R"({"sessionId":"s"})") +
        copilot_event("assistant.message", "e2", R"("e1")",
                      R"({"content":"","toolRequests":[{"toolCallId":"c1","name":"bash",)"
                      R"("arguments":{}}]})") +
        copilot_event("tool.execution_complete", "e3", R"("e2")",
                      R"({"toolCallId":"c1","success":true,"shellExecution":{"exitCode":1},)"
                      R"("result":{"content":"no"}})"));
    CHECK(got.line()[1].turn.facts.json("exit_code") == "1");
  }

  TEST_CASE("Copilot: arguments that are a text, and parallel subagents that take turns") {
    const auto event = copilot_event;
    const auto said = [&](const std::string& id, const std::string& parent,
                          const std::string& agent) {
      return event("assistant.message", id, '"' + parent + '"',
                   R"({"content":")" + id + R"(","toolRequests":[])" +
                       (agent.empty() ? "" : R"(,"parentToolCallId":")" + agent + '"') + "}");
    };
    const AgentLog got(event("session.start", "e1", "null", R"({"sessionId":"par-allel"})") +
                       event("assistant.message", "e2", R"("e1")",
                             R"({"content":"","toolRequests":[{"toolCallId":"c1","name":"sh",)"
                             R"("arguments":"{\"a\": 1}"}]})") +
                       said("a1", "e2", "A") + said("b1", "a1", "B") + said("a2", "b1", "A") +
                       said("b2", "a2", "B") + said("e3", "b2", ""));
    CHECK(outline(got.line()) == "assistant:|assistant:e3");
    CHECK(calls_of(got.line()) == R"(c1:sh({"a": 1}) )");
    CHECK(outline(got.line("-agent-A")) == "assistant:a1|assistant:a2");
    CHECK(outline(got.line("-agent-B")) == "assistant:b1|assistant:b2");
    CHECK(got.refs() ==
          "heads/copilot/par-alle heads/copilot/par-alle-agent-A heads/copilot/par-alle-agent-B "
          "sources/copilot/par-allel ");
    CHECK(got.report.missing_parents == 0);
  }

  // --- Qwen Code --------------------------------------------------------------

  TEST_CASE("Qwen Code: parts are turns, and records of one name one answer") {
    const AgentLog got = AgentLog::sample("qwen-code/session.jsonl");
    CHECK(got.report.main_ref == "refs/heads/qwen-code/9a4e77b0");
    CHECK(got.refs() ==
          "heads/qwen-code/9a4e77b0 heads/qwen-code/9a4e77b0-2 "
          "heads/qwen-code/9a4e77b0-agent-lookout-7f3c "
          "sources/qwen-code/9a4e77b0-1c2d-4e3f-8a9b-0c1d2e3f4a5b ");
    const auto steps = got.line();
    CHECK(outline(steps) ==
          "user:When is high tide?<hook>\nThe pier is closed.\n</hook>|"
          "reasoning:The table will say.|assistant:I look.|tool:14:20 high|tool:moon: not found|"
          "assistant:At 14:20.|user:And low tide?|assistant:At 20:35.|"
          "compress:<state>High 14:20, low 20:35.</state>|assistant:Got it.|user:Thanks.");
    CHECK(calls_of(steps) ==
          R"(call_q1:read_file({"path": "tides.txt"}) )"
          R"(call_q2:run_shell_command({"command":"moon"}) =call_q1 =call_q2! )");
    CHECK(steps[1].turn.fields.format == "gemini");
    CHECK(facts_of(steps, "message_id") == R"(- "q2" "q2" - - "q6" - "q14" - - - )");
    CHECK(facts_of(steps, "model") ==
          R"(- "gull-plus" "gull-plus" - - "gull-plus" - "gull-plus" - - - )");
    CHECK(authors_of(steps) == "user gull-plus gull-plus - - gull-plus user gull-plus - - user ");
    CHECK(steps[3].turn.fields.name == "read_file");
    CHECK(steps[3].turn.attach.at(0).media_type == "image/png");
    CHECK(steps[0].turn.attach.at(0).media_type == "image/png");
    CHECK(steps[0].turn.facts.text("git_branch") == "tides");
    CHECK(steps[0].turn.facts.text("agent_version") == "0.21.13");
    CHECK(steps[6].turn.facts.text("cwd") == "/home/dev/harbour/quay");
    CHECK(steps[2].commit.time->micros - steps[1].commit.time->micros == 1'000'000);
    const auto usage = usage_of(steps[2]);
    CHECK(usage.input == 100);
    CHECK(usage.cached == 20);
    CHECK(usage.output == 20);
    CHECK(usage.reasoning == 6);
    CHECK(steps[1].turn.facts.json("usage").empty());
    CHECK(prompt_texts(*got.repository, got.report.main_ref) ==
          std::vector<std::string>{"<state>High 14:20, low 20:35.</state>", "Got it.", "Thanks."});
  }

  TEST_CASE("Qwen Code: what its turns do not say is attached") {
    const AgentLog got = AgentLog::sample("qwen-code/session.jsonl");
    const auto steps = got.line();
    // The prompt and the hook's words are parts of what was sent.
    CHECK(rest_of(steps[0]) ==
          R"({"message":{"parts":[null,null,{"inlineData":{"mimeType":"image/png"}}]}})");
    REQUIRE(steps[1].turn.raw.size() == 1);  // A signed thought can go back.
    CHECK(steps[1].turn.raw[0].bytes.find(R"("thoughtSignature":"c2lnLXEy")") != std::string::npos);
    CHECK(rest_of(steps[2]) == R"({"contextWindowSize":262144})");
    CHECK(rest_of(steps[4]) ==
          R"({"toolCallResult":{"status":"error","resultDisplay":"It failed.",)"
          R"("errorType":"shell_execute_error"}})");
    CHECK(rest_of(steps[3]).find(R"("toolCallResult":{"status":"success"}})") != std::string::npos);
    CHECK(rest_of(steps[5]).empty());
    CHECK(rest_of(steps[6]) == R"({"subtype":"mid_turn_user_message"})");
    CHECK(rest_of(steps[9]) ==
          R"({"subtype":"chat_compression","systemPayload":{"info":{"originalTokenCount":400,)"
          R"("newTokenCount":60}}})");
  }

  TEST_CASE("Qwen Code: a rewind leaves what it took back as a line, subagents have their own") {
    const AgentLog got = AgentLog::sample("qwen-code/session.jsonl");
    const auto left = got.line("-2");
    REQUIRE(left.size() == 8);
    CHECK(left[5].oid == got.line()[5].oid);
    CHECK(left[6].turn.text == "A ship came in.");
    CHECK(left[6].turn.author.empty());
    CHECK(left[6].turn.facts.json("injected") == "true");
    CHECK(rest_of(left[6]) == R"({"subtype":"notification","provenance":"system"})");
    CHECK(left[7].turn.text == "Which one is it?");
    const auto agent = got.line("-agent-lookout-7f3c");
    CHECK(outline(agent) == "user:Watch the gate.|assistant:It is open.");
    CHECK(authors_of(agent) == "- gull-mini ");
    CHECK(agent[0].turn.facts.text("agent") == "lookout-7f3c");
    CHECK(got.report.kept == Counts{{"system/custom_title", 1},
                                    {"system/file_history_snapshot", 1},
                                    {"system/foghorn", 1},
                                    {"system/rewind", 1},
                                    {"system/ui_telemetry", 1}});
    CHECK(got.report.unknown == Counts{{"system/foghorn", 1}});
    CHECK(got.report.missing_parents == 0);
  }

  TEST_CASE("Qwen Code: a rewind goes behind a turn that only an answer had followed") {
    const AgentLog got(qwen_record("1", "null", "user", qwen_text("user", "Hi")) +  // Glued.
                       qwen_record("2", R"("1")", "assistant", qwen_text("model", "No.")) + "\n" +
                       qwen_record("3", R"("1")", "system", kQwenRewind) + "\n" +
                       qwen_record("4", R"("3")", "assistant", qwen_text("model", "Yes.")) + "\n");
    CHECK(outline(got.line()) == "user:Hi|assistant:Yes.");
    CHECK(outline(got.line("-2")) == "user:Hi|assistant:No.");
    CHECK(got.report.records == 4);
  }

  TEST_CASE("Qwen Code: each of two rewinds is gone behind, whichever is left first") {
    const AgentLog got(qwen_record("1", "null", "user", qwen_text("user", "Hi")) + "\n" +
                       qwen_record("2", R"("1")", "assistant", qwen_text("model", "No.")) + "\n" +
                       qwen_record("3", R"("1")", "system", kQwenRewind) + "\n" +
                       qwen_record("4", R"("1")", "system", kQwenRewind) + "\n" +
                       qwen_record("5", R"("4")", "assistant", qwen_text("model", "Yes.")) + "\n" +
                       qwen_record("6", R"("3")", "assistant", qwen_text("model", "Perhaps.")) +
                       "\n");
    CHECK(outline(got.line()) == "user:Hi|assistant:Perhaps.");
    CHECK(outline(got.line("-2")) == "user:Hi|assistant:No.");
    CHECK(outline(got.line("-3")) == "user:Hi|assistant:Yes.");
  }

  TEST_CASE("Claude Code and Qwen Code: neither takes the other's records, however long") {
    const std::string claude =
        R"({"parentUuid":null,"sessionId":"s","type":"user","uuid":"u","message":{"role":"user",)"
        R"("content":")";
    const std::string qwen =
        R"({"uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T00:00:00Z",)"
        R"("type":"user","message":{"role":"user","parts":[{"text":")";
    const std::string cut(300'000, 'x');
    CHECK(importers_of(claude + cut) == "claude-code ");
    CHECK(importers_of(qwen + cut) == "qwen-code ");
    CHECK(importers_of(claude + "Hi\"}}\n") == "claude-code ");
    CHECK(importers_of(qwen + "Hi\"}]}}\n") == "qwen-code ");
  }

  // --- Droid ------------------------------------------------------------------

  TEST_CASE("Droid: a stored session, whose messages name their parents") {
    const AgentLog got = AgentLog::sample("droid/session.jsonl");
    CHECK(got.report.main_ref == "refs/heads/droid/d7301d00");
    CHECK(got.refs() ==
          "heads/droid/d7301d00 heads/droid/d7301d00-2 "
          "sources/droid/d7301d00-5a5a-4b4b-8c8c-9d9d0e0e1f1f ");
    const auto steps = got.line();
    CHECK(outline(steps) ==
          "user:<system-reminder>Flour is low.</system-reminder>Bake a loaf.|reasoning:Salt first.|"
          "assistant:I weigh.|tool:500 g|tool:no salt|user:The oven is hot.|assistant:Ten rolls "
          "then.|user:More.|"
          "summary:Rolls, no salt.|assistant:Twelve.");
    CHECK(calls_of(steps) == R"(toolu_k1:Execute({"command": "weigh flour"}) )"
                             R"(toolu_k2:Read({"file_path":"salt"}) =toolu_k1 =toolu_k2! )");
    CHECK(steps[0].turn.attach.at(0).media_type == "image/png");
    CHECK(steps[1].turn.fields.format == "parsed");
    CHECK(rest_of(steps[4]).empty());
    // On the last turn of the message.
    CHECK(rest_of(steps[2]).empty());
    REQUIRE(steps[1].turn.raw.size() == 1);  // A signed thought, as the provider has it.
    CHECK(steps[1].turn.raw[0].bytes.find("RXFNQmsz") != std::string::npos);
    CHECK(rest_of(steps[5]) == R"({"message":{"visibility":"llm_only"}})");
    CHECK(facts_of(steps, "injected") == "- - - - - true - - - - ");
    CHECK(steps[2].turn.facts.text("effort") == "high");
    CHECK(facts_of(steps, "message_id") == R"(- "k3" "k3" - - - "k5" - - "k10" )");
    CHECK(facts_of(steps, "model") == R"(- "rye-4" "rye-4" - - - - - - - )");
    CHECK(authors_of(steps) == "user rye-4 rye-4 - - - - user - - ");
    CHECK(steps[2].turn.facts.text("finish_reason") == "tool_use");
    CHECK(usage_of(steps[2]).input == 50);
    CHECK(usage_of(steps[2]).cached == 10);
    CHECK(steps[2].turn.facts.text("cwd") == "/home/dev/bakery");
    CHECK(steps[2].turn.facts.text("uuid") == "k3");
    CHECK(rest_of(steps[9]) == R"({"message":{"content":[null,{"type":"crumb","grams":3}]}})");
    CHECK(rest_of(steps[8]) ==
          R"({"summaryTokens":5,"summaryKind":"compaction","removedCount":4})");
    CHECK(got.line("-2").back().turn.text == "Fewer.");
    CHECK(got.line("-2").size() == 8);
    CHECK(got.report.kept == Counts{{"agent_turn_outcome", 1},
                                    {"message/user", 2},
                                    {"oven_state", 1},
                                    {"session_start", 1},
                                    {"todo_state", 1}});
    CHECK(got.report.unknown == Counts{{"oven_state", 1}});
    CHECK(got.report.missing_parents == 0);
    CHECK(got.notes().find("UserPromptSubmit") != std::string::npos);
    CHECK(got.notes().find("four loaves") != std::string::npos);
  }

  TEST_CASE("Droid: what another session asks a subagent was typed by nobody") {
    const AgentLog got(
        R"({"type":"session_start","id":"sub","title":"T","callingSessionId":"main"})"
        "\n"
        R"({"type":"message","id":"m","message":{"role":"user","content":"Look."}})"
        "\n");
    CHECK(outline(got.line()) == "user:Look.");
    CHECK(authors_of(got.line()) == "- ");
  }

  TEST_CASE("Droid: results that come with a text answer their calls, and nobody typed the text") {
    const auto message = [](const std::string& id, const std::string& parent,
                            const std::string& role, const std::string& content) {
      return R"({"type":"message","id":")" + id + R"(","parentId":)" + parent +
             R"(,"message":{"role":")" + role + R"(","content":[)" + content + "]}}\n";
    };
    const auto text = [](const std::string& said) {
      return R"({"type":"text","text":")" + said + R"("})";
    };
    const AgentLog got(R"({"type":"session_start","id":"oven","title":"T"})"
                       "\n" +
                       message("1", "null", "user", text("Bake.")) +
                       message("2", R"("1")", "assistant",
                               R"({"type":"tool_use","id":"c1","name":"heat","input":{}})") +
                       message("3", R"("2")", "user",
                               R"({"type":"tool_result","tool_use_id":"c1","content":"hot"},)" +
                                   text("Note it.")) +
                       message("4", R"("3")", "assistant", text("Noted.")));
    CHECK(outline(got.line()) == "user:Bake.|assistant:|tool:hot|user:Note it.|assistant:Noted.");
    CHECK(authors_of(got.line()) == "user - - - - ");
    CHECK(got.refs() == "heads/droid/oven sources/droid/oven ");
  }

  TEST_CASE("Droid: a stream of droid exec") {
    const AgentLog got = AgentLog::sample("droid/stream.jsonl");
    CHECK(got.report.main_ref == "refs/heads/droid/5eed0001");
    CHECK(got.refs() == "heads/droid/5eed0001 sources/droid/5eed0001-0002-4003-8004-000500060007 ");
    const auto steps = got.line();
    CHECK(outline(steps) ==
          "user:Grind the rye.|assistant:I start the stones.|assistant:|tool:the stones are wet|"
          "reasoning:Wet stones do not "
          "turn.|assistant:|tool:{\"stdout\":\"dry\\n\",\"exitCode\":0}|tool:no such call|"
          "assistant:Two sacks.|user:Grind on.|assistant:Three sacks.");
    CHECK(calls_of(steps) ==
          R"(call_s1:Execute({"command": "grind rye","riskLevel":"low"}) =call_s1! )"
          R"(call_s2:Dry({"hours":2}) =call_s2 =call_s3! )");
    CHECK(rest_of(steps[2]) == R"({"toolName":"Run a command"})");
    CHECK(steps[3].turn.fields.name == "Execute");
    CHECK(steps[4].turn.fields.format == "parsed");
    CHECK(facts_of(steps, "message_id") == R"(- "s3" "s3" - - - - - "s4" - - )");
    CHECK(facts_of(steps, "model") ==
          R"(- "spelt-2" "spelt-2" - "spelt-2" "spelt-2" - - "spelt-2" - "spelt-2" )");
    CHECK(authors_of(steps) == "user spelt-2 spelt-2 - spelt-2 spelt-2 - - spelt-2 user spelt-2 ");
    CHECK(steps[0].commit.time->micros == 1'780'725'601'000'000);
    CHECK(steps[0].turn.facts.text("cwd") == "/home/dev/mill");
    CHECK(steps[0].turn.facts.text("session") == "5eed0001-0002-4003-8004-000500060007");
    // Of a run, not of an answer.
    CHECK(facts_of(steps, "usage") == "- - - - - - - - - - - ");
    CHECK(rest_of(steps[10]) == R"({"usage":{"input_tokens":9,"output_tokens":3}})");
    CHECK(got.report.kept ==
          Counts{{"completion", 1}, {"error", 1}, {"gust", 1}, {"reasoning", 1}, {"system", 1}});
    CHECK(got.report.unknown == Counts{{"gust", 1}});
    CHECK(got.notes().find(R"("numTurns":2)") != std::string::npos);
  }

  TEST_CASE("Droid: a stream begins with a record that another program could have written") {
    const std::string start = R"({"type":"system","session_id":"s","model":"m"})"
                              "\n";
    CHECK(importers_of(start).empty());
    CHECK(importers_of(start + R"({"type":"message","session_id":"s","role":"user","text":"Hi"})"
                               "\n") == "droid ");
    CHECK(importers_of(R"({"type":"message","session_id":"s","uuid":"u","role":"user","text":"Hi"})"
                       "\n")
              .find("droid") == std::string::npos);
    CHECK(importers_of(R"({"type":"session_start","id":"s"})"
                       "\n")
              .empty());
  }

  // --- Cursor -----------------------------------------------------------------

  TEST_CASE("Cursor: messages without names") {
    const AgentLog got = AgentLog::sample("cursor/transcript.jsonl");
    const auto steps = got.line();
    CHECK(outline(steps) ==
          "user:<user_query>\nWhich bell is cracked?\n</user_query>|reasoning:Ring each.|"
          "assistant:I ring them.An unknown block.|tool:dong|tool:crack|assistant:The "
          "second.|system:Ring softly.|"
          "user:Thanks.");
    CHECK(calls_of(steps) ==
          R"(call-1:Shell({"command": "ring  1"}) call_t2:listen({"bell":2}) =call-1 =! )");
    CHECK(rest_of(steps[4]).find(R"("tool_use_id":"t1")") != std::string::npos);
    CHECK(steps[1].turn.fields.format == "parsed");
    CHECK(steps[4].turn.fields.name == "listen");
    CHECK(facts_of(steps, "model") == R"(- "bronze-auto" "bronze-auto" - - - - - )");
    CHECK(authors_of(steps) == "user bronze-auto bronze-auto - - - - user ");
    CHECK(rest_of(steps[0]) == R"({"metadata":{"requestId":"tower-1"}})");
    CHECK(rest_of(steps[2]) ==
          R"({"message":{"content":[null,null,null,null,{"metadata":{"kind":"read"}},)"
          R"({"type":"chime"}]},"annotations":[{"value":"complete"}]})");
    CHECK(got.report.kept == Counts{{"bell_cast", 1}, {"message/assistant", 1}, {"turn_ended", 1}});
    CHECK(got.report.unknown == Counts{{"bell_cast", 1}, {"message/assistant", 1}});
    CHECK(got.notes().find(R"({"type":"peal","bells":8})") != std::string::npos);
    CHECK(got.report.main_ref.size() == std::string("refs/heads/cursor/12345678").size());
    CHECK_FALSE(steps[0].commit.time.has_value());
  }

  TEST_CASE("Cursor: a line of the transcript is no message of another format") {
    CHECK(importers_of(R"({"role":"user","message":{"content":[]}})") == "cursor ");
    CHECK(
        importers_of(R"({"role":"user","content":"Hi","message":{"content":[]}})").find("cursor") ==
        std::string::npos);
    CHECK(
        importers_of(R"({"type":"user","role":"user","message":{"content":[]}})").find("cursor") ==
        std::string::npos);
  }

  TEST_CASE("values of another kind than expected are kept, whoever's log it is") {
    const std::vector<std::string> logs = {
        R"({"type":"assistant.message","data":{"content":{"deep":"A1"},"messageId":71,"toolRequests":)"
        R"([{"toolCallId":72,"name":["A2"],"arguments":null}],"reasoningText":["A3"],)"
        R"("outputTokens":"A4"},"id":"e","timestamp":"A5","parentId":null})",
        R"({"uuid":"u","parentUuid":null,"sessionId":"s","timestamp":["B1"],"type":"assistant",)"
        R"("model":["B2"],"usageMetadata":"B3","message":{"role":"B4","parts":[{"text":["B5"]},)"
        R"({"functionCall":{"id":73,"name":{"n":"B6"},"args":"B7"}},)"
        R"({"functionResponse":{"id":"B8","response":["B9"]}}]}})",
        R"({"type":"session_start","id":"s","title":"C0"})"
        "\n"
        R"({"type":"message","id":"m","timestamp":{"t":"C1"},"message":{"role":"assistant",)"
        R"("content":[{"type":"tool_use","id":74,"name":["C2"],"input":"C3"},"C4",{"text":["C5"]}],)"
        R"("model":{"m":"C6"},"usage":["C7"]}})",
        R"({"type":"tool_call","session_id":"s","toolName":"D0","parameters":["D1"],"id":75,)"
        R"("toolId":{"t":"D2"},"messageId":["D3"]})"
        "\n"
        R"({"type":"reasoning","session_id":"s","id":["D8"],"text":{"t":"D9"}})"
        "\n"
        R"({"type":"tool_result","session_id":"s","toolCallId":["D4"],"isError":"D5","error":"D6"})"
        "\n"
        R"({"type":"completion","session_id":"s","finalText":["D7"]})",
        R"({"role":"assistant","message":{"content":["E0",{"type":"text","text":["E1"]},)"
        R"({"type":"tool_use","id":["E2"],"name":76,"input":"E3"},{"type":"tool_result",)"
        R"("content":{"c":"E4"},"tool_use_id":{"i":"E5"},"is_error":"E6"}]},"model":["E7"]})"};
    for (const std::string& log : logs) {
      CAPTURE(log);
      const AgentLog got(log + "\n");
      CHECK(got.report.turn_records > 0);
      std::istringstream lines(got.text);
      for (std::string line; std::getline(lines, line);) {
        for (const std::string& lost : lost_values(line, *got.repository)) FAIL_CHECK(lost);
      }
    }
  }
}
