// Odd but real shapes of foreign sessions: what they say becomes turns, and what does not is kept.
#include <doctest/doctest.h>

#include "import/head.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::import::TextSource;

namespace {

struct Kept {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;
  std::vector<Step> steps;

  explicit Kept(const std::string& text) { add(text); }

  void add(const std::string& text) {
    TextSource source("session", text);
    report = spoor::import::import_source(source, *repository, {}).value();
    steps = history(*repository, report.main_ref);
  }

  /// Does any object hold these bytes?
  bool has(std::string_view bytes) const {
    bool found = false;
    REQUIRE(repository->store().scan([&](const spoor::store::StoredObject& each) {
      found = found || each.object.body.find(bytes) != std::string::npos;
      return true;
    }));
    return found;
  }
  std::string outline() const { return import_test::outline(steps); }
};

}  // namespace

TEST_SUITE("import/kept") {
  TEST_CASE("an OpenCode message with more facts than meta holds is imported, and all is kept") {
    const std::string folder(3'300, 'c');
    const std::string tokens(900, 'y');
    const std::string session =
        R"({"info":{"id":"ses_a","directory":"/w"},"messages":[{"info":{"id":"m1",)"
        R"("sessionID":"ses_a","role":"assistant","modelID":"m","path":{"cwd":"/)" +
        folder +
        R"("}},"parts":[{"type":"text","text":"T"},{"type":"step-finish",)"
        R"("reason":"stop","tokens":{"input":1,"x":")" +
        tokens + R"("}}]}]})";
    const Kept got(session);
    CHECK(got.outline() == "assistant:T");
    CHECK(got.has(folder));
    CHECK(got.has(tokens));

    const std::string name(5'000, 'n');
    const Kept named(R"({"info":{"id":"ses_b","directory":"/w"},"messages":[{"info":{"id":")" +
                     name + R"(","role":"assistant"},"parts":[{"type":"text","text":"T"}]}]})");
    CHECK(named.outline() == "assistant:T");
    CHECK(named.has(name));
  }

  TEST_CASE("calls that stand with a user's message are kept, and make no session unreadable") {
    const Kept chat(
        R"([{"role":"user","content":"Hi","tool_calls":[{"id":"c1","type":"function",)"
        R"("function":{"name":"look","arguments":"{}"}}]},{"role":"assistant","content":"Yes"}])");
    CHECK(chat.outline() == "user:Hi|assistant:Yes");
    CHECK(chat.has(R"("name":"look")"));
    const Kept blocks(
        R"({"system":"s","messages":[{"role":"user","content":[{"type":"tool_use","id":"c1",)"
        R"("name":"look","input":{"far":7}}]},{"role":"assistant","content":"Yes"}]})");
    CHECK(blocks.outline() == "system:s|user:|assistant:Yes");
    CHECK(blocks.has(R"({"far":7})"));
  }

  TEST_CASE("an OpenCode call's output that is no text, and the state of one that never ended") {
    const auto session = [](const std::string& state) {
      return R"({"info":{"id":"ses_a","directory":"/w"},"messages":[{"info":{"id":"m1","role":"assistant"},)"
             R"("parts":[{"type":"tool","callID":"c1","tool":"ls","state":)" +
             state + "}]}]}";
    };
    const Kept object(session(R"({"status":"completed","input":{},"output":{"rows":["OUT"]}})"));
    REQUIRE(object.steps.size() == 2);
    CHECK(object.steps[1].turn.text == R"({"rows":["OUT"]})");
    CHECK(Kept(session(R"({"status":"running","input":{}})")).has("running"));
  }

  TEST_CASE(
      "Gemini CLI's log: the last record of a message counts, and what was taken back is a line") {
    const std::string head =
        R"({"sessionId":"11111111-aaaa","projectHash":"p","startTime":"2025-10-01T12:00:00.000Z"})"
        "\n";
    const std::string u1 = R"({"id":"u1","type":"user","content":"hi"})";
    const std::string m1 = R"({"id":"m1","type":"gemini","content":"I will look","model":"g"})";
    const std::string m1_called =
        R"({"id":"m1","type":"gemini","content":"I will look","model":"g","toolCalls":[{"id":"c1",)"
        R"("name":"ls","args":{},"status":"success","result":[{"functionResponse":{"id":"c1",)"
        R"("name":"ls","response":{"output":"a"}}}]}]})";
    const std::string u2 = R"({"id":"u2","type":"user","content":"other way"})";
    const std::string whole = "user:hi|assistant:I will look|tool:a";

    CHECK(Kept(head + u1 + "\n" + m1 + "\n" + m1_called + "\n").outline() == whole);
    const Kept changed(head + u1 + "\n" + R"({"id":"m1","type":"gemini","content":"BEFORE"})" +
                       "\n" + m1_called + "\n");
    CHECK(changed.outline() == whole);
    CHECK(changed.has("BEFORE"));

    const Kept rewound(head + u1 + "\n" + m1_called + "\n" + R"({"$rewindTo":"m1"})" + "\n" + u2 +
                       "\n");
    CHECK(rewound.outline() == "user:hi|user:other way");
    CHECK(rewound.has("I will look"));
    CHECK(Kept(head + u1 + "\n" + m1 + "\n" + R"({"$rewindTo":"nobody"})" + "\n" + u2 + "\n")
              .outline() == "user:other way");

    const Kept set(head + R"({"$set":{"messages":[)" + u1 + "," + m1_called + "]}}\n" + u2 + "\n");
    CHECK(set.outline() == whole + "|user:other way");
    const Kept replaced(head + u1 + "\n" + m1 + "\n" + R"({"$set":{"messages":[)" + u1 + "," + u2 +
                        "]}}\n");
    CHECK(replaced.outline() == "user:hi|user:other way");
    CHECK(replaced.has("I will look"));
  }

  TEST_CASE(
      "Gemini CLI's log: notes stand among the messages, and an open call is read when it is "
      "answered") {
    const std::string head = R"({"sessionId":"11111111-aaaa","projectHash":"p"})"
                             "\n";
    const std::string u1 = R"({"id":"u1","type":"user","content":"hi"})"
                           "\n";
    const std::string info = R"({"id":"i1","type":"info","content":"INFO"})"
                             "\n";
    const std::string open =
        R"({"id":"m1","type":"gemini","content":"","toolCalls":[{"id":7,"name":"ls","args":{"x":NaN}}]})"
        "\n";
    const std::string answered =
        R"({"id":"m1","type":"gemini","content":"","toolCalls":[{"id":7,"name":"ls","args":{"x":NaN},)"
        R"("result":[{"functionResponse":{"id":7,"name":"ls","response":{"output":"a"}}}]}]})"
        "\n";
    Kept got(head + u1 + info + open);
    CHECK(got.outline() == "user:hi|assistant:");
    CHECK(got.steps[1].turn.fields.tool_calls->at(0).arguments == R"({"x":NaN})");
    got.add(head + u1 + info + open + answered);
    CHECK(got.outline() == "user:hi|assistant:|tool:a");
    CHECK(got.steps[2].turn.fields.call_id == "7");
    const std::size_t refs = ref_names(*got.repository).size();
    got.add(head + u1 + info + open + answered + R"({"$rewindTo":"i1"})" + "\n");
    CHECK(got.outline() == "user:hi");
    CHECK(ref_names(*got.repository).size() == refs + 1);  // What was taken back is a line.

    std::string same = u1 + "," + info;
    std::erase(same, '\n');
    const Kept set(head + u1 + info + R"({"$set":{"messages":[)" + same + "]}}\n");
    CHECK(set.outline() == "user:hi");
    CHECK(set.report.kept.at("info") == 1);
  }

  TEST_CASE("numbers that only Python writes") {
    const Kept log(
        R"({"version":2,"eval":{"task":"t","eval_id":"ev123456"},"results":{"value":NaN,)"
        R"("low":-Infinity},"samples":[{"id":1,"epoch":1,"messages":[{"role":"user",)"
        R"("content":"I","score":Infinity}]}]})");
    CHECK(log.outline() == "user:I");
    CHECK(log.has(R"("value":NaN,"low":-Infinity)"));
    CHECK(log.has(R"("score":Infinity)"));
    const Kept rows(R"({"messages":[{"role":"user","content":"one"}],"score":NaN})"
                    "\n"
                    R"({"messages":[{"role":"user","content":"two"}]})"
                    "\n");
    CHECK(rows.report.turns.at("user") == 2);
    const Kept usage(
        R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[)"
        R"({"type":"thinking","thinking":"t","signature":"s"}],"usage":{"cost":NaN}}]})");
    CHECK(usage.has(R"({"cost":NaN})"));
    CHECK(usage.steps.back().turn.facts.json("usage").empty());
  }

  TEST_CASE("a first message longer than what is looked at") {
    const std::string long_text(300'000, 'x');
    const std::string chat = R"({"messages":[{"role":"user","content":")" + long_text +
                             R"("},{"role":"assistant","content":"a"}]})";
    CHECK(importers_of(chat) == "openai-chat ");
    CHECK(importers_of(R"([{"conversations":[{"from":"human","value":")" + long_text +
                       R"("},{"from":"gpt","value":"ok"}]}])") == "sharegpt ");
    const std::string picture =
        R"({"model":"claude","messages":[{"role":"user","content":[{"type":"image","source":)"
        R"({"type":"base64","media_type":"image/png","data":")" +
        long_text + R"("}}]},{"role":"assistant","content":"a"}],"system":"You are S."})";
    CHECK(importers_of(picture) == "anthropic-messages ");
    CHECK(Kept(picture).outline() == "system:You are S.|user:|assistant:a");
    CHECK(spoor::import::closed_front(R"({"a":["x\u00)") == R"({"a":["x"]})");
    CHECK(spoor::import::closed_front(R"({"a":1,"b)") == R"({"a":1})");
  }

  TEST_CASE("what stands beside the texts of a system prompt") {
    const Kept got(
        R"({"model":"claude","system":[{"type":"text","text":"S1","cache_control":)"
        R"({"type":"ephemeral","ttl":"TTL1H"}}],"messages":[{"role":"user","content":"q"},)"
        R"({"role":"assistant","content":[{"type":"text","text":"a"}]}]})");
    CHECK(got.outline() == "system:S1|user:q|assistant:a");
    CHECK(got.has("TTL1H"));
    const Kept items(R"({"instructions":[{"type":"message","role":"developer","content":"ILIST"}],)"
                     R"("input":[{"type":"message","role":"user","content":"q"}],"output":[]})");
    CHECK(items.outline() == "system:ILIST|user:q");
  }

  TEST_CASE("a value of another kind than was expected") {
    const Kept list(
        R"([{"conversations":[{"from":"human","value":[{"type":"text","text":"LIST"}]},)"
        R"({"from":"gpt","value":17},{"from":"human","value":{"a":"OBJECT"}}]}])");
    CHECK(list.outline() == R"(user:LIST|assistant:17|user:{"a":"OBJECT"})");
    const Kept id(
        R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"",)"
        R"("tool_calls":[{"id":81,"type":"function","function":{"name":"f","arguments":"{}"}}]},)"
        R"({"role":"tool","tool_call_id":81,"content":"r"}]})");
    REQUIRE(id.steps.size() == 3);
    CHECK(id.steps[2].turn.fields.call_id == "81");
    CHECK(id.steps[1].turn.fields.tool_calls->front().id == "81");
    const Kept observed(R"([{"id":1,"source":"agent","action":"run","args":{"command":"ls"}},)"
                        R"({"id":2,"observation":"run","cause":1,"content":["X1"]}])");
    CHECK(observed.outline() == "assistant:|tool:X1");
  }

  TEST_CASE("the model of a message that no model made, and labels that are false") {
    CHECK(Kept(R"({"role":"user","content":"q","model":"gpt-4o-mini"})"
               "\n"
               R"({"role":"assistant","content":"a"})"
               "\n")
              .has("gpt-4o-mini"));
    const Kept labels(
        R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"z"}],)"
        R"("resolved":false,"reward":0,"note":null})");
    CHECK(labels.has(R"({"resolved":false,"reward":0,"note":null})"));
  }

  TEST_CASE("an answer of Anthropic's that stands alone") {
    const std::string answer =
        R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[)"
        R"({"type":"thinking","thinking":"th","signature":"SIG"},{"type":"text","text":"hi"},)"
        R"({"type":"tool_use","id":"tu1","name":"ls","input":{"a":1}}],"stop_reason":"tool_use",)"
        R"("usage":{"input_tokens":5,"output_tokens":7}})";
    CHECK(importers_of(answer) == "anthropic-messages ");
    const Kept got(answer);
    CHECK(got.outline() == "reasoning:th|assistant:hi");
    const Turn& said = got.steps[1].turn;
    CHECK(said.fields.tool_calls->front().name == "ls");
    CHECK(said.facts.json("usage") == R"({"input_tokens":5,"output_tokens":7})");
    CHECK(said.facts.text("model") == "claude-x");
    CHECK(got.steps[0].turn.raw.front().bytes.find("SIG") != std::string::npos);
  }

  TEST_CASE("a log of OpenHands' agent SDK") {
    const auto event = [](const std::string& id, const std::string& rest) {
      return R"({"id":")" + id + R"(","timestamp":"2026-06-16T05:39:18.809928",)" + rest + "}\n";
    };
    const std::string log =
        event(
            "e0",
            R"("source":"environment","key":"execution_status","value":"running","kind":"ConversationStateUpdateEvent")") +
        event(
            "e1",
            R"("source":"agent","system_prompt":{"type":"text","text":"SYS"},"tools":[],"kind":"SystemPromptEvent")") +
        event(
            "e2",
            R"("source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"hi"}]},"kind":"MessageEvent")") +
        event(
            "e3",
            R"("source":"agent","thought":[{"type":"text","text":"I look."}],"reasoning_content":"hm","thinking_blocks":[],"action":{"command":"ls"},"tool_name":"terminal","tool_call_id":"c1","tool_call":{"id":"c1","name":"terminal","arguments":"{\"command\": \"ls\"}"},"llm_response_id":"r1","kind":"ActionEvent")") +
        event(
            "e4",
            R"("source":"environment","tool_name":"terminal","tool_call_id":"c1","observation":{"content":[{"type":"text","text":"a.txt"}],"is_error":true,"exit_code":2},"action_id":"e3","kind":"ObservationEvent")") +
        event(
            "e5",
            R"("source":"agent","error":"no such tool","tool_name":"x","tool_call_id":"c2","kind":"AgentErrorEvent")");
    const Kept got(log);
    CHECK(got.outline() ==
          "system:SYS|user:hi|reasoning:hm|assistant:I look.|tool:a.txt|tool:no such tool");
    CHECK(got.steps[3].turn.fields.tool_calls->front().arguments == R"({"command": "ls"})");
    CHECK(got.steps[3].turn.facts.text("message_id") == "r1");
    CHECK(got.steps[4].turn.fields.is_error);
    CHECK(got.has(R"("exit_code":2)"));
    CHECK(got.report.unknown.empty());
  }

  TEST_CASE("rows of others that have an action are no events of OpenHands") {
    CHECK(importers_of(R"({"messages":[{"role":"user","content":"q"}],"action":"label"})") ==
          "openai-chat ");
    CHECK(importers_of(R"({"conversations":[{"from":"human","value":"q"}],"action":"label"})") ==
          "sharegpt ");
    CHECK(importers_of(R"({"kind":"AuditEvent","source":"api","timestamp":"2026-01-01T00:00:00Z"})"
                       "\n{}")
              .empty());
    CHECK(importers_of(R"({"id":0,"source":"user","action":"message","args":{"content":"hi"}})")
              .empty());
  }

  TEST_CASE("what is taken is told by a turn") {
    CHECK(Kept(R"([{"id":1,"source":"environment","action":"message","args":{"content":"x"}}])")
              .has("environment"));
    CHECK(Kept(R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t",)"
               R"("is_error":"ERRSTR","content":"r"}]}]})")
              .has("ERRSTR"));
    const Kept again(
        R"([{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]},)"
        R"({"system":"S","messages":[{"role":"system","content":"S"},{"role":"user","content":"q2"},)"
        R"({"role":"assistant","content":"a2"}]}])");
    CHECK(again.report.turns.at("system") == 1);
    const Kept listed(
        R"({"id":"r1","instructions":[{"type":"message","role":"developer","content":"I1"}],)"
        R"("input":[{"type":"message","role":"user","content":"q"}],"output":[{"type":"message",)"
        R"("role":"assistant","content":[{"type":"output_text","text":"A"}]}]})"
        "\n"
        R"({"id":"r2","previous_response_id":"r1","instructions":[{"type":"message",)"
        R"("role":"developer","content":"I1"}],"input":[{"type":"message","role":"user",)"
        R"("content":"q2"}],"output":[]})"
        "\n");
    CHECK(listed.outline() == "system:I1|user:q|assistant:A|user:q2");
  }

  TEST_CASE("two captures that differ in who gave the instructions") {
    const auto capture = [](const std::string& role, const std::string& id) {
      return R"({"messages":[{"role":")" + role +
             R"(","content":"SYS"},{"role":"user","content":"q"},{"role":"assistant","content":"ans"}],)"
             R"("conversation_id":")" +
             id + "\"}";
    };
    Kept got(capture("system", "A"));
    got.add(capture("developer", "B"));
    CHECK(got.report.met_turns == 3);
    CHECK(got.has("developer"));
  }

  TEST_CASE("what a response cost stands on its answer") {
    const Kept items(
        R"({"id":"resp_1","object":"response","model":"gpt","output":[{"type":"message",)"
        R"("id":"m1","role":"assistant","content":[{"type":"output_text","text":"T"}]}],)"
        R"("usage":{"input_tokens":3,"output_tokens":4}})");
    CHECK(items.steps.back().turn.facts.json("usage") == R"({"input_tokens":3,"output_tokens":4})");
    const Kept chat(
        R"({"messages":[{"role":"user","content":"q"}],"response":{"id":"cc1","model":"g",)"
        R"("choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"a"}}],)"
        R"("usage":{"prompt_tokens":5,"completion_tokens":6}}})");
    CHECK(chat.steps.back().turn.facts.json("usage") ==
          R"({"completion_tokens":6,"prompt_tokens":5})");
    CHECK(chat.steps.back().turn.facts.text("finish_reason") == "stop");
    CHECK(chat.steps.back().turn.facts.text("message_id") == "cc1");
  }

  TEST_CASE("blocks and calls of other kinds") {
    CHECK(Kept(R"({"messages":[{"role":"user","content":[{"type":"custom_kind","text":"CK"}]}]})")
              .has("custom_kind"));
    const Kept custom(
        R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,)"
        R"("tool_calls":[{"id":"2","type":"custom","custom":{"name":"N","input":"I"}}]}]})");
    CHECK(custom.steps.back().turn.fields.tool_calls->front().name == "N");
    CHECK(custom.steps.back().turn.fields.tool_calls->front().arguments == "I");

    const Kept parallel(
        R"({"conversations":[{"from":"human","value":"q"},{"from":"function_call","value":"{\"name\":\"a\",\"arguments\":{}}"},)"
        R"({"from":"function_call","value":"{\"name\":\"b\",\"arguments\":{}}"},{"from":"observation","value":"ra"},)"
        R"({"from":"observation","value":"rb"}]})");
    REQUIRE(parallel.steps.size() == 5);
    for (const int i : {1, 2}) {
      const auto& call =
          parallel.steps[static_cast<std::size_t>(i)].turn.fields.tool_calls->front();
      CHECK(parallel.steps[static_cast<std::size_t>(i) + 2].turn.fields.call_id == call.id);
    }

    const Kept unanswered(
        R"({"conversations":[{"from":"human","value":"q"},{"from":"function_call","value":"{\"name\":\"a\",\"arguments\":{}}"},)"
        R"({"from":"human","value":"no"},{"from":"function_call","value":"{\"name\":\"b\",\"arguments\":{}}"},)"
        R"({"from":"observation","value":"rb"}]})");
    CHECK(unanswered.steps[4].turn.fields.call_id ==
          unanswered.steps[3].turn.fields.tool_calls->front().id);

    const Kept empty(
        R"([{"type":"function_call","call_id":"s1","name":"f","arguments":"{}"},)"
        R"({"type":"function_call_output","call_id":"s1","output":{"content":"","success":true}},)"
        R"({"type":"function_call_output","call_id":"s2","output":[{"type":"input_text","text":""}]}])");
    CHECK(empty.outline() == "assistant:|tool:|tool:");

    const Kept hosted(
        R"([{"type":"message","role":"user","content":"q"},{"type":"mcp_call","id":"mcp1",)"
        R"("name":"find","arguments":"{}","output":"FOUND"},{"type":"shell_call_output",)"
        R"("call_id":"s1","output":[{"stdout":"SHELL"}]}])");
    CHECK(hosted.outline() == R"(user:q|assistant:|tool:FOUND|tool:[{"stdout":"SHELL"}])");

    const Kept responses(
        R"({"info":{"mini_version":"2.0"},"messages":[{"role":"user","content":"U"},{"object":"response",)"
        R"("id":"r1","model":"g","output":[{"type":"function_call","call_id":"c1","name":"bash",)"
        R"("arguments":"{}"}],"extra":{}},{"type":"function_call_output","call_id":"c1","output":"OUT"}],)"
        R"("trajectory_format":"mini-swe-agent-1.1"})");
    CHECK(responses.outline() == "user:U|assistant:|tool:OUT");
    CHECK(responses.report.unknown.empty());
  }

  TEST_CASE("a file that only has to be unpacked is named as such") {
    const auto repository = Repository::in_memory();
    TextSource source("log.jsonl.gz", "\x1f\x8b\x08 and so on");
    const auto refused = spoor::import::import_source(source, *repository, {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message == "'log.jsonl.gz' is in gzip, which spoor does not read");
  }
}
