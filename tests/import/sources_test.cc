// Trajectories of the Agent Data Protocol, histories of tau-bench, traces, and JSON that nobody
// knows: the samples of tests/data/import, read back.

#include <doctest/doctest.h>

#include "llm/source_usage.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::compile::ToolCall;
using spoor::import::TextSource;

namespace {

struct Read {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;
  std::vector<Step> steps;

  explicit Read(const std::string& sample, const std::string& ref = {}) {
    read(read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import" / sample), ref);
  }

  static Read of(const std::string& text) {
    Read made;
    made.read(text, {});
    return made;
  }

  /// Calls as `id:name(arguments)`, results as `=id`, one word each.
  std::string calls() const {
    std::string all;
    for (const Step& step : steps) {
      for (const auto& call : step.turn.fields.tool_calls.value_or(std::vector<ToolCall>())) {
        all += call.id + ":" + call.name + "(" + call.arguments + ") ";
      }
      if (!step.turn.fields.call_id.empty()) all += "=" + step.turn.fields.call_id + " ";
    }
    return all;
  }

  void read(const std::string& text, const std::string& ref) {
    TextSource source("text", text);
    report = spoor::import::import_source(source, *repository, {}).value();
    steps = history(*repository, ref.empty() ? report.main_ref : ref);
  }

 private:
  Read() = default;

 public:
  const Turn& last(spoor::compile::Type type) const {
    const auto found = std::find_if(steps.rbegin(), steps.rend(),
                                    [&](const Step& step) { return step.turn.type == type; });
    REQUIRE(found != steps.rend());
    return found->turn;
  }
};

using spoor::compile::Type;

}  // namespace

TEST_SUITE("import/sources") {
  TEST_CASE("Agent Data Protocol: actions are answers with calls, observations results") {
    const Read got("adp/std.json", "refs/heads/adp/orchard_7");
    CHECK(outline(got.steps) ==
          "user:Count the trees.|assistant:I list them.|tool:41|assistant:|"
          "tool:RootWebArea 'Rain'|reasoning:Better twice.|assistant:And print it.|"
          "tool:41 again|reasoning:Both counts agree.|assistant:There are 41.");
    CHECK(got.calls() == R"x(t1:bash({"command":"ls trees | wc -l"}) =t1 )x"
                         R"x(call-2:weather({"day": 2, "where": "orchard"}) =call-2 )x"
                         R"x(call-3:python({"code":"print(41)"}) =call-3 )x");
    CHECK(got.report.refs.size() == 3);  // Two lines, and the notes.
  }

  TEST_CASE("tau-bench: the messages of a run") {
    const Read got("tau-bench/results.json");
    CHECK(outline(got.steps) ==
          "system:You book ferries.|user:I want to cross tomorrow.|assistant:|tool:9:15|"
          "assistant:One leaves at 9:15.");
    CHECK(got.calls() == R"(call_f1:find_ferry({"day": "tomorrow"}) =call_f1 )");
  }

  TEST_CASE("tau-bench: a text with roles before each message holds no calls") {
    const Read got("tau-bench/shots.jsonl");
    CHECK(got.report.refs.size() == 2);
    bool found = false;
    for (const auto& ref : got.report.refs) {
      found = found || outline(history(*got.repository, ref.name)) ==
                           "user:Is there a cabin?|assistant:|tool:cabin 4|"
                           "assistant:Yes:\ncabin 4.\n|user:Good.";
    }
    CHECK(found);
  }

  TEST_CASE("a trace: spans of one conversation become its longest history") {
    const Read got("otel/genai.json");
    CHECK(got.report.main_ref == "refs/heads/otel/bells-1");
    CHECK(outline(got.steps) ==
          "system:You tune bells.|user:Is the big bell in tune?|reasoning:I should measure it.|"
          "assistant:I measure.|tool:440 Hz|assistant:It is: 440 Hz.");
    CHECK(got.calls() == R"(call_b1:measure({"bell": "big"}) =call_b1 )");
    const Turn& answer = got.last(Type::assistant);
    CHECK(answer.facts.text("model") == "gpt-9-0401");
    CHECK(answer.facts.text("provider") == "openai");
    CHECK(answer.facts.text("message_id") == "resp_2");
    CHECK(answer.facts.text("finish_reason") == "stop");
    CHECK(answer.facts.json("latency_ms") == "1500");
    const std::string counts = answer.facts.json("usage");
    const auto usage = spoor::json::parse(counts);
    REQUIRE(usage);
    const auto told = spoor::llm::read_source_usage(usage->root()).usage;
    CHECK(told.input == 29);
    CHECK(told.cached == 32);
    CHECK(told.output == 9);
    const Turn& result = got.last(Type::tool);
    CHECK(result.facts.json("duration_ms") == "42");
    REQUIRE(result.time);
    CHECK(result.time->text() == "2026-05-28T20:26:41.342000Z");
  }

  TEST_CASE("a trace of OpenInference: messages are spread over attributes") {
    const Read got("otel/lines.jsonl", "refs/heads/otel/organ-7");
    CHECK(outline(got.steps) == "user:Which pipe wheezes?|assistant:I listen.|tool:a wheeze");
    CHECK(got.calls() == R"(t9:listen({"pipe": 3}) =t9 )");
    CHECK(got.steps[2].turn.fields.is_error);
  }

  TEST_CASE("spans without messages go on in the conversation of their trace") {
    const Read got("otel/sdk.json");
    CHECK(outline(got.steps) ==
          "system:Use tools.|user:What day is it?|assistant:|tool:Monday|assistant:It is Monday.");
    CHECK(got.calls() == "call-1:today({}) =call-1 ");
    CHECK(got.steps[3].turn.facts.json("duration_ms") == "5");
  }

  TEST_CASE("a trace that Jaeger exported has its times in microseconds") {
    const Read got("otel/jaeger.json");
    CHECK(outline(got.steps) == "user:Wind?|assistant:North.");
    CHECK(got.steps[1].turn.facts.json("latency_ms") == "1500");
  }

  TEST_CASE("JSON that nobody knows: the longest list of messages in it") {
    const Read got("generic/chat.json");
    CHECK(outline(got.steps) ==
          "user:Which tide is it?|assistant:It ebbs.|user:And then?|assistant:Then it floods.");
    CHECK(got.report.unknown.size() == 1);  // The narrator.
  }

  TEST_CASE("JSON Lines that nobody knows: calls and results of their own") {
    const Read got("generic/calls.jsonl");
    CHECK(outline(got.steps) == "user:How many stairs?|assistant:|tool:91|assistant:There are 91.");
    CHECK(got.calls() == R"(call-1:count({"what":"stairs"}) =call-1 )");
    CHECK(got.steps[0].turn.time);
  }

  TEST_CASE("JSON Lines that nobody knows: messages within records, with blocks") {
    const std::string text =
        R"({"kind":7,"type":"user","message":{"role":"user","content":"How many stairs?"}})"
        "\n"
        R"({"type":"assistant","message":{"id":"m1","role":"assistant","model":"k2","content":)"
        R"([{"type":"thinking","thinking":"Count."},)"
        R"({"type":"tool_use","id":"c1","name":"count","input":{"what":"stairs"}}]}})"
        "\n"
        R"({"type":"user","message":{"role":"user","content":)"
        R"([{"type":"tool_result","tool_use_id":"c1","content":"91"}]}})"
        "\n";
    const Read got = Read::of(text);
    CHECK(got.report.main_ref.starts_with("refs/heads/generic/"));
    CHECK(outline(got.steps) == "user:How many stairs?|reasoning:Count.|assistant:|tool:91");
    CHECK(got.calls() == R"(c1:count({"what":"stairs"}) =c1 )");
    CHECK(got.steps[2].turn.facts.text("model") == "k2");
    CHECK(got.report.odd_blocks.empty());
  }

  TEST_CASE("JSON Lines that nobody knows: a block that nobody knows is attached and counted") {
    const std::string text =
        R"({"type":"user","message":{"content":"Show it."}})"
        "\n"
        R"({"type":"assistant","message":{"content":[{"type":"hologram","beam":"0x7f"}]}})"
        "\n";
    const Read got = Read::of(text);
    REQUIRE(outline(got.steps) == "user:Show it.|assistant:");
    REQUIRE(got.steps[1].turn.attach.size() == 1);
    CHECK(got.steps[1].turn.attach[0].bytes.find("0x7f") != std::string::npos);
    CHECK(got.report.odd_blocks == LossReport::Counts{{"hologram", 1}});
  }

  TEST_CASE("SWE-agent: the last step of the trajectory is read where the history lacks it") {
    const std::string step =
        R"({"action":"submit\n","observation":"done","response":"I hand it in.\n```\nsubmit\n```"})";
    const std::string front =
        R"({"trajectory":[)" + step + R"(],"history":[{"role":"user","content":"Go."})";
    CHECK(outline(Read::of(front + "]}").steps) ==
          "user:Go.|assistant:I hand it in.\n```\nsubmit\n```|user:done");
    const Read answered = Read::of(
        front + R"(,{"role":"assistant","content":"```\nsubmit\n```","action":"submit\n"}]})");
    CHECK(outline(answered.steps) == "user:Go.|assistant:```\nsubmit\n```|user:done");
    CHECK(answered.steps[2].turn.facts.text("call_id") == "text-1");
  }

  TEST_CASE("SWE-agent: a history that has its last step is not added to") {
    const Read got = Read::of(
        R"({"trajectory":[{"action":"ls","observation":"a","response":"I look."}],"history":[)"
        R"({"role":"user","content":"Go."},{"role":"assistant","content":"I look.","action":"ls"},)"
        R"({"role":"user","content":"a\n$"}]})");
    CHECK(outline(got.steps) == "user:Go.|assistant:I look.|user:a\n$");
  }

  TEST_CASE("a chat list: blocks of thinking beside the content are a reasoning") {
    const Read got = Read::of(
        R"([{"role":"user","content":"Q"},{"role":"assistant","content":"A","thinking_blocks":)"
        R"([{"type":"thinking","thinking":"hm ","signature":"s"},)"
        R"({"type":"thinking","thinking":"yes"}]}])");
    CHECK(outline(got.steps) == "user:Q|reasoning:hm yes|assistant:A");
  }

  TEST_CASE("mini-SWE-agent: what the last command printed is its result") {
    const Read got = Read::of(
        R"({"trajectory_format":"mini-swe-agent-1","messages":[{"role":"user","content":"Go."},)"
        R"({"role":"assistant","content":"I end.","tool_calls":[{"id":"c1","type":"function",)"
        R"("function":{"name":"bash","arguments":"{}"}}]},{"role":"exit","content":"diff"}]})");
    CHECK(outline(got.steps) == "user:Go.|assistant:I end.|tool:diff");
    CHECK(got.steps[2].turn.fields.call_id == "c1");
  }

  TEST_CASE("a chat list: calls without ids are answered in their order") {
    const Read got = Read::of(
        R"([{"role":"user","content":"Q"},{"role":"assistant","content":null,"tool_calls":[)"
        R"({"function":{"name":"a","arguments":"{}"}},{"function":{"name":"b","arguments":"{}"}}]},)"
        R"({"role":"tool","content":"1"},{"role":"tool","content":"2"}])");
    CHECK(got.calls() == "call-1:a({}) call-2:b({}) =call-1 =call-2 ");
  }

  TEST_CASE("a long history is kept ready for whoever asks for a part of it") {
    std::string text = "[";
    for (int i = 0; i < 600; ++i) {
      text += R"({"role":")" + std::string(i % 2 == 0 ? "user" : "assistant") +
              R"(","content":"turn )" + std::to_string(i) + "\"}" + (i < 599 ? "," : "]");
    }
    const auto repository =
        Repository::in_memory({.cache_key = [] { return std::string(32, 'k'); }});
    TextSource source("chat.json", text);
    const auto report = spoor::import::import_source(source, *repository, {}).value();
    const auto steps = history(*repository, report.main_ref);
    REQUIRE(steps.size() == 600);
    CHECK(repository->store().cached("line/2/" + steps[511].oid.hex()).value());
  }

  TEST_CASE("a row of preferences has two branches") {
    const Read got = Read::of(
        R"({"chosen_messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}],)"
        R"("rejected_messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"B"}]})");
    std::string said;
    for (const auto& ref : got.report.refs) {
      if (ref.name.starts_with("refs/heads/")) {
        said += outline(history(*got.repository, ref.name)) + " ";
      }
    }
    CHECK((said == "user:Q|assistant:A user:Q|assistant:B " ||
           said == "user:Q|assistant:B user:Q|assistant:A "));
  }

  TEST_CASE("OpenHands: usage of a response counts once, and errors without a cause were told") {
    const std::string metadata =
        R"("tool_call_metadata":{"tool_call_id":"C","function_name":"run","model_response":{)"
        R"("id":"r1","model":"m","usage":{"prompt_tokens":5,"completion_tokens":2}}})";
    const auto action = [&](const std::string& call) {
      std::string text =
          R"({"id":1,"source":"agent","action":"run","args":{"thought":"T"},)" + metadata + "}";
      return text.replace(text.find("\"C\""), 3, "\"" + call + "\"");
    };
    const Read got =
        Read::of("[" + action("c1") + "," + action("c2") +
                 R"(,{"id":3,"source":"agent","observation":"error","content":"No."}])");
    CHECK(outline(got.steps) == "assistant:T|assistant:T|user:No.");
    CHECK_FALSE(got.steps[0].turn.facts.json("usage").empty());
    CHECK(got.steps[1].turn.facts.json("usage").empty());
  }

  TEST_CASE("OpenHands SDK: a thought that is in the text too is taken out of it") {
    const Read got = Read::of(
        R"({"kind":"MessageEvent","id":"e","source":"agent","timestamp":"2026-01-01T00:00:00",)"
        R"("llm_message":{"role":"assistant","reasoning_content":"hm","content":[)"
        R"({"type":"text","text":"<think>hm</think>\n\nYes."}]}})"
        "\n"
        R"({"kind":"PauseEvent","id":"f","source":"user","timestamp":"2026-01-01T00:00:01"})");
    CHECK(outline(got.steps) == "reasoning:hm|assistant:Yes.");
  }

  TEST_CASE("Cursor: results answer calls that have no name in their order") {
    const Read got = Read::of(
        R"({"role":"user","message":{"content":"Q"}})"
        "\n"
        R"({"role":"assistant","message":{"content":[{"type":"tool_use","name":"a","input":{}},)"
        R"({"type":"tool_use","name":"b","input":{}}]}})"
        "\n"
        R"({"role":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1",)"
        R"("content":"1"},{"type":"tool_result","tool_use_id":"t2","content":"2"}]}})"
        "\n");
    CHECK(got.calls() == "call-1:a({}) call-2:b({}) =call-1 =call-2 ");
  }

  TEST_CASE("Aider: a page around a chat, and confirmations, are notes") {
    const Read got = Read::of(
        "# A page\n\nAbout a chat.\n\n#### Paint it.  \n\nDone.\n\n"
        "#### Add file to the chat? (Y)es/(N)o [Yes]: skip  \n\n> Applied edit to a.txt  \n");
    CHECK(outline(got.steps) ==
          "note:# A page\n\nAbout a chat.|user:Paint it.|assistant:Done.|"
          "note:Add file to the chat? (Y)es/(N)o [Yes]: skip|note:Applied edit to a.txt");
  }

  TEST_CASE("Aider: a history without its header is read") {
    const Read got("aider/ferry.aider.chat.history.md");
    CHECK(got.report.main_ref.starts_with("refs/heads/aider/without-start-"));
    CHECK(outline(got.steps).starts_with(
        "user:Paint the ferry's bow|assistant:I paint it blue.|note:Tokens: "));
  }
}
