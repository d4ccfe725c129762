// What becomes of each format's records: the samples of tests/data/import, read back.

#include <doctest/doctest.h>

#include "tests/import/support.h"

using namespace import_test;
using spoor::compile::kind_of;
using spoor::import::TextSource;

namespace {

struct Imported {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;
  std::vector<Step> steps;

  explicit Imported(const std::string& sample)
      : Imported(sample, read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import" / sample)) {}

  static Imported of(const std::string& text) { return {"text", text}; }

  Imported(const std::string& name, const std::string& text) {
    TextSource source(name, text);
    report = spoor::import::import_source(source, *repository, {}).value();
    steps = history(*repository, report.main_ref);
  }

  std::string kinds() const {
    std::string all;
    for (const Step& step : steps) all += std::string(kind_of(step.commit)) + " ";
    return all;
  }
  /// Calls as `name(arguments)`, results as `=call`.
  std::string calls() const {
    std::string all;
    for (const Step& step : steps) {
      for (const auto& call :
           step.turn.fields.tool_calls.value_or(std::vector<spoor::compile::ToolCall>())) {
        all += call.id + ":" + call.name + "(" + call.arguments + ") ";
      }
      if (!step.turn.fields.call_id.empty()) all += "=" + step.turn.fields.call_id + " ";
    }
    return all;
  }
};

}  // namespace

TEST_SUITE("import/formats") {
  TEST_CASE("Gemini CLI: thoughts, an answer with its calls, and what came of them") {
    const Imported got("gemini-cli/session.json");
    CHECK(got.kinds() == "user reasoning reasoning assistant tool tool tool user assistant ");
    CHECK(got.steps[1].turn.text == "**Looking first**\nThe colour now matters.");
    CHECK(got.steps[5].turn.fields.is_error);
    CHECK(got.steps[6].turn.text.starts_with("{\n                  \"rows\": ["));
    CHECK(got.steps[3].turn.facts.text("message_id") == "11aa-model-1");
    CHECK_FALSE(got.steps[3].turn.facts.json("usage").empty());
    CHECK(got.steps[4].turn.facts.json("usage").empty());
  }

  TEST_CASE("Gemini CLI: a call that is open ends with the next turn, also one without a name") {
    const std::string front =
        R"({"sessionId":"s","projectHash":"p","startTime":"2026-05-02T06:00:00.000Z",)"
        R"("lastUpdated":"2026-05-02T06:00:01.000Z","kind":"main"})"
        "\n"
        R"({"id":"m","type":"gemini","content":"I look.","toolCalls":[{"id":"c","name":"n","args":{}}]})"
        "\n"
        R"({"type":"user","content":"And?"})"
        "\n";
    const Imported got = Imported::of(front);
    CHECK(outline(got.steps) == "assistant:I look.|user:And?");
    const std::string all = front + R"({"id":"u","type":"user","content":"Well?"})" + "\n";
    TextSource whole("text", all);
    CHECK(spoor::import::import_source(whole, *got.repository, {}).value().new_turns == 1);
    CHECK(outline(history(*got.repository, got.report.main_ref)) ==
          "assistant:I look.|user:And?|user:Well?");
  }

  TEST_CASE("OpenCode: each step is a message of its own") {
    const Imported got("opencode/session.json");
    CHECK(got.kinds() == "user user user reasoning assistant tool tool assistant assistant ");
    const auto calls = got.steps[4].turn.fields.tool_calls.value();
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].arguments.starts_with("{\n              \"pattern\": \"boat\",\n"));
    CHECK(got.steps[5].turn.fields.call_id == calls[0].id);
    CHECK(got.steps[6].turn.fields.call_id == calls[1].id);
    CHECK(got.steps[6].turn.fields.is_error);
    CHECK(got.steps[5].turn.facts.json("exit_code") == "1");
    CHECK_FALSE(got.steps[5].turn.fields.is_error);  // Its source does not call it one.
    CHECK(got.steps[6].turn.facts.json("exit_code").empty());
    CHECK(got.steps[4].turn.facts.text("message_id") == "msg_q2");
    CHECK(got.steps[7].turn.facts.text("message_id") == "msg_q2/2");
    CHECK(got.steps[1].turn.author == "user");
    CHECK(got.steps[2].turn.author.empty());
    CHECK(got.steps[2].turn.facts.json("injected") == "true");
  }

  TEST_CASE("Pi: its tree becomes lines, its compaction a compress") {
    const Imported got("pi/session.jsonl");
    CHECK(got.report.turns.at("compress") == 1);
    CHECK(got.report.refs.size() == 3);  // Two lines, and the notes.
    CHECK(got.report.unknown == LossReport::Counts{{"flag_raised", 1}});
    CHECK(prompt_texts(*got.repository, got.report.main_ref) ==
          std::vector<std::string>{"Lamp A has 410 h; it is in the book.", "Written.",
                                   "And lamp C?", "Lamp C came today.",
                                   "Ran `ls`\n```\nlamps.csv\n```", "It is new."});
    CHECK(got.steps[5].turn.fields.format == "responses");
    REQUIRE(got.steps[5].turn.raw.size() == 1);
    CHECK(got.steps[5].turn.raw[0].bytes.find("gAAAAABpi==") != std::string::npos);
    std::vector<std::string> errors;
    for (const auto& ref : got.report.refs) {
      for (const Step& step : history(*got.repository, ref.name)) {
        const std::string error = step.turn.facts.text("error");
        if (!error.empty()) errors.push_back(error);
      }
    }
    CHECK(errors == std::vector<std::string>{"500: overloaded"});
  }

  TEST_CASE("Pi: a thought keeps its provider's item, made of the block and its signature") {
    const Imported got("pi/omp.jsonl");
    std::vector<std::string> items;
    for (const auto& ref : got.report.refs) {
      if (!ref.name.starts_with("refs/heads/")) continue;
      for (const Step& step : history(*got.repository, ref.name)) {
        for (const auto& item : step.turn.raw) {
          items.push_back(step.turn.fields.format + ":" + item.bytes);
        }
      }
    }
    std::sort(items.begin(), items.end());
    CHECK(
        items ==
        std::vector<std::string>{
            R"(:{"functionCall":{"name":"read","args":{"path":"data/8.txt"}},"thoughtSignature":"Eg9call=="})",
            R"(:{"text":"Look at one more."})",
            R"(anthropic:{"type":"redacted_thinking","data":"Eredacted=="})",
            R"(anthropic:{"type":"thinking","thinking":"Compare \"then\" and now.","signature":"EqQBdrift+/=="})",
            R"(gemini:{"text":"It moved north.","thought":true,"thoughtSignature":"Eg9north=="})",
            R"(raw:{"type":"thinking","thinking":"None is.","thinkingSignature":"opaque-7"})",
            R"(reasoning_content:{"type":"thinking","thinking":"Only one.","thinkingSignature":"reasoning_content"})"});
  }

  TEST_CASE("Oh-My-Pi: a title first, system prompts, the developer's words, and a new beginning") {
    const Imported got("pi/omp.jsonl");
    CHECK(got.report.main_ref == "refs/heads/pi/77aa10c2");
    CHECK(got.report.unknown.empty());
    CHECK(outline(got.steps) == "user:And which one is silent?|reasoning:None is.|assistant:None.");
    const auto before = history(*got.repository, "refs/heads/pi/77aa10c2-2");
    REQUIRE(before.size() == 13);
    CHECK(before[0].turn.text == "Watch the buoys.");
    CHECK(before[2].turn.fields.role == "developer");
    CHECK(before[2].turn.text == "Positions are in data/.");
    CHECK(before[8].turn.facts.text("provider") == "gemini");
  }

  TEST_CASE("Pi: a later compaction replaces the summary before it, whatever it keeps") {
    const auto entry = [](const std::string& id, const std::string& parent,
                          const std::string& rest) {
      return R"({"id":")" + id + R"(","parentId":)" + parent +
             R"(,"timestamp":"2026-05-02T06:00:00Z",)" + rest + "}\n";
    };
    const auto said = [&](const std::string& id, const std::string& parent,
                          const std::string& role) {
      return entry(
          id, '"' + parent + '"',
          R"("type":"message","message":{"role":")" + role + R"(","content":")" + id + R"("})");
    };
    const auto compaction = [&](const std::string& id, const std::string& parent) {
      return entry(id, '"' + parent + '"',
                   R"("type":"compaction","firstKeptEntryId":"m0","summary":")" + id + '"');
    };
    const Imported got = Imported::of(
        R"({"type":"session","id":"aa00","timestamp":"2026-05-02T06:00:00Z","cwd":"/w"})"
        "\n" +
        entry("m0", "null", R"("type":"model_change")") + said("u1", "m0", "user") +
        said("a1", "u1", "assistant") + compaction("s1", "a1") + said("u2", "s1", "user") +
        compaction("s2", "u2"));
    CHECK(got.kinds() == "user assistant summary user compress ");
    CHECK(prompt_texts(*got.repository, got.report.main_ref) ==
          std::vector<std::string>{"u1", "a1", "s2", "u2"});
  }

  TEST_CASE("OpenCode: a signed thought has Anthropic's block, and a step its cost") {
    const Imported got = Imported::of(
        R"({"info":{"id":"ses_1"},"messages":[{"info":{"role":"assistant","id":"m1"},"parts":[)"
        R"({"type":"reasoning","text":"hm","metadata":{"anthropic":{"signature":"c2ln"}}},)"
        R"({"type":"reasoning","text":"","metadata":{"anthropic":{"redactedData":"b3Bh"}}},)"
        R"({"type":"text","text":"Yes."},)"
        R"({"type":"step-finish","cost":0.0125,"tokens":{"input":5,"output":2,"reasoning":0}}]}]})");
    REQUIRE(got.kinds() == "reasoning reasoning assistant ");
    CHECK(got.steps[0].turn.raw.at(0).bytes ==
          R"({"type":"thinking","thinking":"hm","signature":"c2ln"})");
    CHECK(got.steps[1].turn.raw.at(0).bytes == R"({"type":"redacted_thinking","data":"b3Bh"})");
    CHECK(got.steps[2].turn.facts.json("cost_usd") == "0.0125");
  }

  TEST_CASE("Pi: a command that the user ran is a turn in Pi's words, but for an excluded one") {
    const auto ran = [](const std::string& rest) {
      return R"({"type":"message","timestamp":"2026-05-02T06:00:01Z","message":{"role":)" + rest +
             "}}\n";
    };
    const Imported got = Imported::of(
        R"({"type":"session","id":"aa00","timestamp":"2026-05-02T06:00:00Z","cwd":"/w"})"
        "\n" +
        ran(R"("bashExecution","command":"ls","output":"","exitCode":2)") +
        ran(R"("bashExecution","command":"cat key","output":"k","excludeFromContext":true)") +
        ran(R"("bashExecution","command":"top","output":"x","cancelled":true,"truncated":true,)"
            R"("fullOutputPath":"/tmp/o")") +
        ran(R"("pythonExecution","code":"1+1","output":"2","exitCode":0)"));
    CHECK(prompt_texts(*got.repository, got.report.main_ref) ==
          std::vector<std::string>{
              "Ran `ls`\n(no output)\n\nCommand exited with code 2",
              "Ran `top`\n```\nx\n```\n\n(command cancelled)\n\n[Output truncated. Full output: "
              "/tmp/o]",
              "Ran Python:\n```python\n1+1\n```\nOutput:\n```\n2\n```"});
    CHECK(got.steps[0].turn.author.empty());
    CHECK(got.steps[0].turn.facts.json("injected") == "true");
  }

  TEST_CASE("OpenCode and Gemini CLI: lines that their program counted are facts of the result") {
    const Imported opencode = Imported::of(
        R"({"info":{"id":"ses_a","directory":"/w"},"messages":[{"info":{"id":"m1",)"
        R"("role":"assistant"},"parts":[{"type":"tool","callID":"c1","tool":"edit","state":)"
        R"({"status":"completed","input":{"filePath":"a"},"output":"ok","metadata":{"filediff":)"
        R"({"additions":3,"deletions":1}}}},{"type":"tool","callID":"c2","tool":"write","state":)"
        R"({"status":"completed","input":{"filePath":"b","content":"x"},"output":"ok",)"
        R"("metadata":{"exists":false}}}]}]})");
    REQUIRE(opencode.kinds() == "assistant tool tool ");
    CHECK(opencode.steps[1].turn.facts.json("lines_added") == "3");
    CHECK(opencode.steps[1].turn.facts.json("lines_removed") == "1");
    CHECK(opencode.steps[2].turn.facts.json("lines_added").empty());
    CHECK(opencode.steps[2].turn.facts.json("lines_removed") == "0");
    const Imported gemini = Imported::of(
        R"({"sessionId":"11111111-aaaa","projectHash":"p","messages":[{"id":"g1","type":"gemini",)"
        R"("content":"","toolCalls":[{"id":"c1","name":"replace","args":{},"status":"success",)"
        R"("result":[{"functionResponse":{"id":"c1","name":"replace","response":{"output":"ok"}}}],)"
        R"("resultDisplay":{"diffStat":{"model_added_lines":4,"user_added_lines":1,)"
        R"("model_removed_lines":2,"user_removed_lines":0}}}]}]})");
    REQUIRE(gemini.kinds() == "assistant tool ");
    CHECK(gemini.steps[1].turn.facts.json("lines_added") == "5");
    CHECK(gemini.steps[1].turn.facts.json("lines_removed") == "2");
  }

  TEST_CASE("SWE-agent: the history, without what its answers say twice") {
    const Imported got("swe-agent/calls.json");
    CHECK(got.kinds() == "system user user assistant tool assistant ");
    CHECK(got.calls() == R"(call_m1:open({"path": "wheel.py"}) =call_m1 )");
    CHECK(got.report.repeated_facts == LossReport::Counts{{"action", 1}, {"thought", 2}});
  }

  TEST_CASE("mini-SWE-agent: the provider's own message is the raw item") {
    const Imported got("mini-swe-agent/run.json");
    CHECK(got.kinds() == "system user assistant tool ");
    REQUIRE(got.steps[2].turn.raw.size() == 1);
    CHECK(got.steps[2].turn.raw[0].bytes.find("function_call") != std::string::npos);
    CHECK(got.steps[2].turn.raw[0].bytes.find("extra") == std::string::npos);
    CHECK(got.steps[2].turn.facts.text("model") == "oak-chat");
    CHECK(got.steps[3].turn.facts.json("exit_code") == "0");
    CHECK(got.report.kept.at("message/exit") == 1);
    CHECK(got.report.unknown.empty());
  }

  TEST_CASE("a logged request of the chat API, and the response behind it") {
    const Imported got("openai-chat/log.json");
    CHECK(got.kinds() == "system user reasoning assistant tool tool assistant assistant ");
    CHECK(got.calls() == R"(call_b1:hive({"n":3}) call_b2:weather({}) =call_b1 =call_b2 )");
    CHECK(got.steps[1].turn.attach.at(0).media_type == "image/png");
    CHECK(got.steps.back().turn.facts.text("model") == "nectar-1-0825");
    REQUIRE(got.steps[6].turn.raw.size() == 1);
    CHECK(got.steps[6].turn.raw[0].bytes.find("\"refusal\": null") != std::string::npos);
  }

  TEST_CASE("two captures of one conversation that names no session meet at their front") {
    const auto repository = Repository::in_memory();
    const std::string log =
        read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import/openai-chat/list.json");
    const std::string shorter = log.substr(0, log.rfind(",\n  {")) + "\n]\n";
    TextSource first("a.json", shorter);
    TextSource second("b.json", log);
    const auto front = spoor::import::import_source(first, *repository, {}).value();
    const auto whole = spoor::import::import_source(second, *repository, {}).value();
    CHECK(front.new_turns == 6);
    CHECK(whole.new_turns == 1);
    CHECK(front.main_ref == whole.main_ref);
  }

  TEST_CASE("a file of many conversations has a line for each") {
    const Imported got("openai-chat/dataset.jsonl");
    CHECK(outline(got.steps) == "system:Short.|user:How many legs?|assistant:Six.");
    int lines = 0;
    for (const auto& ref : got.report.refs) lines += ref.name.starts_with("refs/heads/") ? 1 : 0;
    CHECK(lines == 2);
  }

  TEST_CASE("conversations that begin alike have lines of their own") {
    const auto repository = Repository::in_memory();
    TextSource source(
        "alike.jsonl",
        R"({"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"1"}]}
{"messages":[{"role":"user","content":"Other"},{"role":"assistant","content":"2"}]}
{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"3"}]}
)");
    const auto report = spoor::import::import_source(source, *repository, {}).value();
    std::string ends;
    for (const auto& ref : report.refs) {
      if (ref.name.starts_with("refs/heads/"))
        ends += history(*repository, ref.name).back().turn.text;
    }
    CHECK(ends == "312");
    CHECK(report.new_turns == 5);  // The first of two is one turn.
  }

  TEST_CASE("Anthropic's blocks: thinking stays as it came, results are turns") {
    const Imported got("anthropic-messages/request.json");
    CHECK(got.kinds() == "system user reasoning assistant tool user assistant ");
    CHECK(got.calls() == "toolu_o1:oven({\n            \"door\": 2\n          }) =toolu_o1 ");
    CHECK(got.steps[2].turn.raw.at(0).bytes.find("EqMBsig==") != std::string::npos);
    CHECK(got.steps[2].turn.facts.text("provider") == "anthropic");
    CHECK(got.steps[4].turn.attach.at(0).media_type == "image/png");
    CHECK(Imported("anthropic-messages/cline.json").report.main_ref ==
          "refs/heads/anthropic-messages/1784094124598_bake");
  }

  TEST_CASE(
      "Messages API: a message's own model counts, and answers that stand alone are no talk") {
    const Imported got = Imported::of(
        R"({"model":"outer","system":"s","messages":[{"role":"user","content":"q"},)"
        R"({"role":"assistant","model":"inner","content":"x"},{"role":"assistant","content":"y"}]})");
    CHECK(got.steps[2].turn.facts.text("model") == "inner");
    CHECK(got.steps[3].turn.facts.text("model") == "outer");
    const auto answer = [](const std::string& text) {
      return R"({"id":"msg_)" + text +
             R"(","type":"message","role":"assistant","stop_reason":"end_turn",)"
             R"("content":[{"type":"text","text":")" +
             text + "\"}]}\n";
    };
    const Imported alone = Imported::of(answer("one") + answer("two"));
    CHECK(outline(alone.steps).starts_with("assistant:"));
    CHECK(alone.steps.size() == 1);
    const Imported talk =
        Imported::of(answer("one") + R"({"role":"user","content":"more"})" + "\n" + answer("two"));
    CHECK(talk.steps.size() == 3);
  }

  TEST_CASE("Messages API: what a tool gave is its bytes where none of it is a text") {
    const Imported got = Imported::of(
        R"({"sessionId":"s","messages":[{"role":"user","content":[{"type":"text","text":"See "},)"
        R"({"type":"file","path":"/p","content":"inside"}]},{"role":"assistant","content":)"
        R"([{"type":"tool_use","id":"t1","name":"read","input":{}}]},{"role":"user","content":)"
        R"([{"type":"tool_result","tool_use_id":"t1","name":"read","content":[{"query": "/p",)"
        R"("result":"1 | a"}]}]}]})");
    CHECK(got.steps[0].turn.text == "See inside");
    CHECK(got.steps[2].turn.text == R"([{"query": "/p","result":"1 | a"}])");
    CHECK(got.steps[2].turn.fields.name == "read");
  }

  TEST_CASE("chat: parts may hold their text as a value, and a call") {
    const Imported got =
        Imported::of(R"({"messages":[{"role":"user","content":[{"type":"text","value":"Q"}]},)"
                     R"({"role":"assistant","content":[{"type":"tool_call",)"
                     R"("value":"{\"name\":\"n\",\"arguments\":{\"a\":1}}"}]},)"
                     R"({"role":"tool","content":[{"type":"text","value":"R"}]}]})");
    CHECK(outline(got.steps) == "user:Q|assistant:|tool:R");
    CHECK(got.calls() == R"(call-1:n({"a":1}) =call-1 )");
  }

  TEST_CASE("chat: a list of messages has no model of the conversation before it") {
    const Imported got = Imported::of(
        R"({"model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]})"
        "\n"
        R"([{"role":"user","content":"r"},{"role":"assistant","content":"b"}])"
        "\n"
        R"({"role":"user","content":"s"})"
        "\n"
        R"({"role":"assistant","content":"c"})"
        "\n");
    std::string all;
    for (const std::string& ref : ref_names(*got.repository)) {
      if (!ref.starts_with("refs/heads/")) continue;
      const auto steps = history(*got.repository, ref);
      all += outline(steps) + " " + steps.back().turn.facts.text("model") + "\n";
    }
    CHECK(all.find("user:q|assistant:a m\n") != std::string::npos);
    CHECK(all.find("user:r|assistant:b \n") != std::string::npos);
    CHECK(all.find("user:s|assistant:c \n") != std::string::npos);
  }

  TEST_CASE("items of the Responses API, given and made") {
    const Imported got("openai-responses/exchange.json");
    CHECK(got.kinds() == "system user reasoning assistant tool reasoning assistant ");
    CHECK(got.steps[6].turn.facts.text("message_id") == "resp_m1");
    CHECK(got.steps[6].turn.facts.text("model") == "fern-5-0801");
    CHECK(got.steps[2].turn.raw.at(0).bytes.find("gAAAAABmap==") != std::string::npos);
  }

  TEST_CASE("items of the Responses API that follow each other are one answer, one a line too") {
    const std::string question = R"({"type":"message","role":"user","content":"Well?"})";
    const std::string calls =
        R"({"type":"function_call","id":"f1","call_id":"c1","name":"look","arguments":"{}"})"
        "\n"
        R"({"type":"function_call","id":"f2","call_id":"c2","name":"feel","arguments":"{}"})";
    const std::string result = R"({"type":"function_call_output","call_id":"c1","output":"wet"})";
    const std::string answer =
        R"({"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":"Wet."}]})";
    const Imported got =
        Imported::of(question + "\n" + calls + "\n" + result + "\n" + answer + "\n");
    REQUIRE(got.steps.size() == 5);
    CHECK(got.steps[1].turn.facts.text("message_id") == "f1");
    CHECK(got.steps[2].turn.facts.text("message_id") == "f1");
    CHECK(got.steps[4].turn.facts.text("message_id") == "m1");
  }

  TEST_CASE("Messages API: items are blocks, and a plain text is none") {
    const Imported got = Imported::of(
        R"({"system":"Be brief.","messages":[{"role":"user","content":"Well?"},)"
        R"({"role":"assistant","content":"Dry."},{"role":"user","content":"And now?"},)"
        R"({"role":"assistant","content":[{"type":"text","text":"Wet.","citations":[]}]}]})");
    REQUIRE(got.steps.size() == 5);
    CHECK(got.steps[2].turn.raw.empty());
    CHECK(got.steps[4].turn.raw.at(0).bytes == R"({"type":"text","text":"Wet.","citations":[]})");
  }

  TEST_CASE("Inspect: each sample is a line") {
    const Imported got("inspect/log.json");
    CHECK(got.report.main_ref == "refs/heads/inspect/f9WtbTGs-2-1");
    CHECK(got.kinds() == "system user reasoning assistant tool ");
    CHECK(got.steps[4].turn.fields.name == "look");
    CHECK(got.steps[4].turn.fields.is_error);
  }

  TEST_CASE("ShareGPT: calls are texts, and the next observation answers") {
    const Imported got("sharegpt/walks.json");
    CHECK(outline(got.steps) == "system:You walk.|user:And the mill?|assistant:Five.");
    CHECK(got.report.kept.at("message/narrator") == 1);
    for (const auto& ref : got.report.refs) {
      if (!ref.name.starts_with("refs/heads/") || ref.name == got.report.main_ref) continue;
      const auto steps = history(*got.repository, ref.name);
      REQUIRE(steps.size() == 4);
      CHECK(steps[1].turn.fields.tool_calls->at(0).name == "distance");
      CHECK(steps[1].turn.fields.tool_calls->at(0).id == steps[2].turn.fields.call_id);
    }
  }

  TEST_CASE("ShareGPT: no result answers a call of another conversation, or of an earlier turn") {
    const std::string call =
        R"({"from":"function_call","value":"{\"name\":\"n\",\"arguments\":{}}"},)";
    const std::string result = R"({"from":"observation","value":"O"},)";
    const std::string end = R"({"from":"gpt","value":"A"}]})"
                            "\n";
    const std::string ask = R"({"conversations":[{"from":"human","value":")";
    const Imported two = Imported::of(ask + "one\"}," + call + result + end +  //
                                      ask + "two\"}," + result + end);
    const Imported alone = Imported::of(ask + "two\"}," + result + end);
    CHECK(history(*two.repository, alone.report.main_ref).back().oid == alone.steps.back().oid);
    CHECK(alone.calls().empty());
    const Imported later = Imported::of(ask + "one\"}," + call + result +
                                        R"({"from":"human","value":"again"},)" + result + end);
    CHECK(later.calls().ends_with(" "));
    CHECK(later.steps[4].turn.fields.call_id.empty());
  }

  TEST_CASE("ShareGPT: a call may stand as a tag behind prose, and prose alone calls nothing") {
    const Imported got = Imported::of(
        R"({"conversations":[{"from":"human","value":"Q"},{"from":"function_call",)"
        R"("value":"I look.\n\n<function=dig>\n<parameter=deep>2</parameter>\n</function>"},)"
        R"({"from":"observation","value":"clay"},{"from":"function_call","value":"I stop."}]})");
    CHECK(outline(got.steps) ==
          "user:Q|assistant:I look.\n\n<function=dig>\n<parameter=deep>2</parameter>\n</function>|"
          "user:clay|assistant:I stop.");
    CHECK(got.steps[1].turn.facts.text("action") == "dig");
    CHECK(got.steps[2].turn.facts.text("call_id") == "text-1");
    CHECK(got.steps[3].turn.facts.text("action").empty());
    CHECK(got.calls().empty());
  }

  TEST_CASE("ATIF: each trajectory of a file is a line") {
    const auto trajectory = [](const std::string& session) {
      return R"({"schema_version":"ATIF-v1.4","session_id":")" + session +
             R"(","agent":{"model_name":"m"},"steps":[{"step_id":1,"source":"user","message":"Q)" +
             session + R"("},{"step_id":2,"source":"agent","message":"A","model_name":null}]})" +
             "\n";
    };
    const Imported got = Imported::of(trajectory("a") + trajectory("b") + trajectory("b"));
    CHECK(outline(history(*got.repository, "refs/heads/atif/a")) == "user:Qa|assistant:A");
    CHECK(
        outline(history(*got.repository, "refs/heads/atif/b")).starts_with("user:Qb|assistant:A"));
    CHECK(got.steps.back().turn.facts.text("model") == "m");
    CHECK(history(*got.repository, "refs/heads/atif/a").back().turn.author == "m");
  }

  TEST_CASE("ATIF: an agent's step is reasoning, answer and results") {
    const Imported got("atif/trajectory.json");
    CHECK(got.kinds() == "system user reasoning assistant tool assistant ");
    CHECK(got.steps[3].turn.facts.text("model") == "clay-2b");
    CHECK(got.steps[5].turn.facts.text("model") == "clay-2");
    CHECK(got.report.main_ref == "refs/heads/atif/0c5d7a90");
  }

  TEST_CASE("OpenHands: actions call, observations answer, by the model's own arguments") {
    const Imported got("openhands/events.json");
    CHECK(got.kinds() == "user assistant tool assistant tool assistant ");
    CHECK(got.steps[1].turn.fields.tool_calls->at(0).arguments == R"({"deep": 2})");
    CHECK(got.steps[2].turn.fields.call_id == "toolu_d1");
    CHECK(got.steps[4].turn.fields.call_id == got.steps[3].turn.fields.tool_calls->at(0).id);
    CHECK(got.steps[4].turn.fields.is_error);
    CHECK(got.report.repeated_facts.at("tool_call_metadata") == 1);
    CHECK(got.steps[2].turn.facts.json("exit_code") == "0");
  }

  TEST_CASE("what a command ended with is a fact where it is an integer, and else stays") {
    const auto result_of = [](const std::string& extra) {
      const Imported got = Imported::of(
          R"({"trajectory_format":"mini-swe-agent-1.1","messages":[{"role":"user","content":"a"},)"
          R"({"role":"tool","tool_call_id":"c","content":"b","extra":{"returncode":)" +
          extra + "}}]}");
      const spoor::compile::Turn& turn = got.steps.back().turn;
      return turn.facts.json("exit_code") + "|" + (turn.attach.empty() ? "" : turn.attach[0].bytes);
    };
    CHECK(result_of("127") == "127|");
    CHECK(result_of("-1") == "-1|");
    for (const char* other : {"1.0", R"("1")", "[1]", "99999999999999999999", "1e0"}) {
      CAPTURE(other);
      CHECK(result_of(other) == R"(|{"extra":{"returncode":)" + std::string(other) + "}}");
    }
  }

  TEST_CASE("OpenHands: -1 is no exit code, and one that is told twice is one fact") {
    const auto code_of = [](const std::string& extras) {
      const Imported got = Imported::of(
          R"([{"id":1,"source":"agent","action":"run","args":{"command":"make"}},)"
          R"({"id":2,"source":"agent","cause":1,"observation":"run","content":"x","extras":)" +
          extras + "}]");
      const spoor::compile::Turn& turn = got.steps.back().turn;
      const std::string rest = turn.attach.at(0).bytes;
      const std::string head = R"({"source":"agent","cause":1)";
      REQUIRE(rest.starts_with(head));
      const bool has_more = rest[head.size()] == ',';
      return turn.facts.json("exit_code") + "|{" + rest.substr(head.size() + (has_more ? 1 : 0));
    };
    CHECK(code_of(R"({"metadata":{"exit_code":2}})") == "2|{}");
    CHECK(code_of(R"({"exit_code":2,"metadata":{"exit_code":2}})") == "2|{}");
    CHECK(code_of(R"({"exit_code":3,"metadata":{"exit_code":2}})") ==
          R"(2|{"extras":{"exit_code":3}})");
    CHECK(code_of(R"({"metadata":{"exit_code":-1}})") ==
          R"(|{"extras":{"metadata":{"exit_code":-1}}})");
  }

  TEST_CASE("OpenHands' SDK: the exit code of a command is a fact of its result") {
    const std::string head = R"({"id":"e1","timestamp":"2026-06-16T05:39:49","source":)";
    const Imported got = Imported::of(
        head + R"("user","llm_message":{"role":"user","content":[]},"kind":"MessageEvent"})" +
        "\n" + head + R"("environment","tool_name":"terminal","tool_call_id":"c","observation":)" +
        R"({"content":[{"type":"text","text":"x"}],"is_error":false,"exit_code":1,)" +
        R"("metadata":{"exit_code":1}},"kind":"ObservationEvent"})" + "\n");
    const spoor::compile::Turn& turn = got.steps.back().turn;
    CHECK(turn.text == "x");
    CHECK(turn.facts.json("exit_code") == "1");
    CHECK(turn.attach.empty());
    CHECK_FALSE(turn.fields.is_error);
  }

  TEST_CASE("Droid: a stream's result that is an object has its exit code as a fact, too") {
    const std::string head = R"({"sessionId":"s-1","timestamp":1780725600310,)";
    const Imported got = Imported::of(
        head + R"("type":"tool_call","id":"c1","toolId":"Execute","toolName":"Run",)" +
        R"("parameters":{"command":"x"}})" + "\n" + head +
        R"("type":"tool_result","toolCallId":"c1","value":{"stdout":"","exitCode":3}})" + "\n");
    CHECK(got.steps.back().turn.facts.json("exit_code") == "3");
    CHECK(got.steps.back().turn.text == R"({"stdout":"","exitCode":3})");
  }
}
