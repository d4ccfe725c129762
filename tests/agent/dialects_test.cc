#include "agent/reading/dialects.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "agent/reading/text_calls.h"
#include "base/json/writer.h"

using namespace spoor;
using namespace spoor::agent::reading;

namespace {

// Offers `ls`, `write` and `fs.read`; `text` is always a text.
OfferedTools tools() {
  return {.has = [](std::string_view id) { return id == "ls" || id == "write" || id == "fs.read"; },
          .takes_text = [](std::string_view, std::string_view key) { return key == "text"; }};
}

std::string printed(const std::vector<TextCall>& calls) {
  std::string out;
  for (const TextCall& call : calls) {
    out += (out.empty() ? "" : " ") + call.name + call.arguments;
    if (call.rationale) out += "=" + call.rationale->why;
    CHECK(call.tier == calls[0].tier);
  }
  return out;
}

std::string calls(std::string_view text) { return printed(read_dialect_calls(text, tools())); }

}  // namespace

TEST_SUITE("agent/reading/dialects") {
  TEST_CASE("Qwen 2.5 and Hermes") {
    CHECK(calls("<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"p\": 1}}\n</tool_call>\n"
                "<tool_call>\n{\"arguments\": {}, \"name\": \"write\"}\n</tool_call>") ==
          R"(ls{"p":1} write{})");
    CHECK(calls("I look.<tool_call>{\"name\":\"ls\",\"arguments\":{}}") == "ls{}");
    CHECK(calls("<tool_call>{\"name\":\"ls\"}\n{\"name\":\"write\"}</tool_call>") ==
          "ls{} write{}");
    CHECK(calls(R"(<tool_call>{"name":"ls","arguments":{},"rationale":"w"}</tool_call>)") ==
          "ls{}=w");
  }

  TEST_CASE("Qwen3-Coder") {
    CHECK(
        calls("Sure.<tool_call>\n<function=write>\n<parameter=path>\na.txt\n</parameter>\n"
              "<parameter=text>\n\n one\n{\"two\": 2}\n\n</parameter>\n<parameter=size>\n"
              "{\"w\": 10, \n \"h\": 20}\n</parameter>\n<parameter=n>\n2\n</parameter>\n"
              "</function>\n</tool_call>\n<tool_call>\n<function=ls>\n</function>\n</tool_call>") ==
        R"(write{"n":2,"path":"a.txt","size":{"h":20,"w":10},"text":"\n one\n{\"two\": 2}\n"} ls{})");
    CHECK(calls("<function=ls>\n<parameter=p>\na\n</parameter>\n</function>") == R"(ls{"p":"a"})");
    CHECK(calls("<tool_call><function=ls><parameter=p>a</parameter></tool_call>") ==
          R"(ls{"p":"a"})");
    CHECK(calls("<function=ls>\n<parameter=rationale>\nto see\n</parameter>\n</function>") ==
          "ls{}=to see");
  }

  TEST_CASE("the value between tags has the schema's type, else its own") {
    const auto value = [](const std::string& text) {
      return calls("<function=ls><parameter=v>" + text + "</parameter></function>");
    };
    CHECK(value("42") == R"(ls{"v":42})");
    CHECK(value("3.10") == R"(ls{"v":3.10})");
    CHECK(value("true") == R"(ls{"v":true})");
    CHECK(value("True") == R"(ls{"v":true})");
    CHECK(value("None") == R"(ls{"v":null})");
    CHECK(value("[1, \"a\"]") == R"(ls{"v":[1,"a"]})");
    CHECK(value("{'k': 'v'}") == R"(ls{"v":{"k":"v"}})");
    CHECK(value("\"a\"") == R"(ls{"v":"a"})");
    CHECK(value("plain word") == R"(ls{"v":"plain word"})");
    CHECK(value("[1") == R"(ls{"v":"[1"})");
    CHECK(value("") == R"(ls{"v":""})");
    CHECK(calls("<function=write><parameter=text>42</parameter></function>") ==
          R"(write{"text":"42"})");
  }

  TEST_CASE("Llama") {
    CHECK(calls(R"(<function=ls>{"p": "a"}</function>)") == R"(ls{"p":"a"})");
    CHECK(
        calls(
            R"(<|python_tag|>{"type": "function", "name": "ls", "parameters": {"p": 1}}<|eom_id|>)") ==
        R"(ls{"p":1})");
    CHECK(
        calls(R"(<|python_tag|>{"name":"ls","parameters":{}}; {"name":"write","parameters":{}})") ==
        "ls{} write{}");
    CHECK(calls(R"([ls(p="a", n=-1.5, on=True, no=None, l=[1, 'b'], d={"k": (1, 2)}), write()])") ==
          R"(ls{"d":{"k":[1,2]},"l":[1,"b"],"n":-1.5,"no":null,"on":true,"p":"a"} write{})");
    CHECK(calls("<|python_start|>[fs.read(p='it\\'s \\x41\\u00e9\\n\\d')]<|python_end|>") ==
          R"(fs.read{"p":"it's Aé\n\\d"})");
  }

  TEST_CASE("a list of calls in Python is the whole reply, of names with literals") {
    CHECK(calls("See [ls(p=1)].") == "");
    CHECK(calls("[ls(p=1)] and more") == "");
    CHECK(calls("[ls(1)]") == "");
    CHECK(calls("[ls(p=q)]") == "");
    CHECK(calls("[ls(p=1), rm(p=1)]") == "");
    CHECK(calls("[ls(p=1") == "");
    CHECK(calls("[ls(p=1 q=2)]") == "");
  }

  TEST_CASE("DeepSeek") {
    CHECK(calls("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ls\n```json\n"
                "{\"p\": \"Tokyo\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function"
                "<｜tool▁sep｜>write\n```json\n{\"p\": \"Paris\"}\n```<｜tool▁call▁end｜>"
                "<｜tool▁calls▁end｜><｜end▁of▁sentence｜>") ==
          R"(ls{"p":"Tokyo"} write{"p":"Paris"})");
    CHECK(calls("thought</think>I look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>ls<｜tool▁sep｜>"
                "{\"p\": 1}<｜tool▁call▁end｜><｜tool▁call▁begin｜>fs.read<｜tool▁sep｜>{}"
                "<｜tool▁call▁end｜><｜tool▁calls▁end｜>") == R"(ls{"p":1} fs.read{})");
    CHECK(
        calls(
            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"ls\">\n<｜DSML｜parameter name=\"p\" "
            "string=\"true\">12</｜DSML｜parameter>\n<｜DSML｜parameter name=\"n\" "
            "string=\"false\">[1]</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke "
            "name=\"write\">\n{\"a\": 1}\n</｜DSML｜invoke>\n</｜DSML｜function_calls>") ==
        R"(ls{"n":[1],"p":"12"} write{"a":1})");
  }

  TEST_CASE("Harmony") {
    CHECK(calls("<|channel|>analysis<|message|>Need <function=ls>{}</function>.<|end|><|start|>"
                "assistant<|channel|>commentary to=functions.ls <|constrain|>json<|message|>"
                "{\"p\":\"SF\"}<|call|>") == R"(ls{"p":"SF"})");
    CHECK(
        calls(
            "<|start|>assistant to=functions.ls<|channel|>commentary json<|message|>{}<|call|>") ==
        "ls{}");
    CHECK(calls(" to=functions.fs.read<|channel|>commentary json<|message|>{\"p\":1}") ==
          R"(fs.read{"p":1})");
    CHECK(calls("<|channel|>commentary to=ls<|message|><|call|>") == "ls{}");
    CHECK(calls("<|channel|>final<|message|>Use <function=ls>{}</function><|return|>") == "");
    CHECK(calls("<|start|>functions.ls to=assistant<|channel|>commentary<|message|>"
                "<function=ls>{}</function><|end|>") == "");
  }

  TEST_CASE("Gemma") {
    CHECK(calls("```tool_code\nls(p=\"a\")\nwrite(text=\"\"\"one\ntwo\"\"\")\n```") ==
          R"(ls{"p":"a"} write{"text":"one\ntwo"})");
    CHECK(calls("I look.\n```python\n[ls(p=1), write()]\n```\nThen I go on.") ==
          R"(ls{"p":1} write{})");
    CHECK(calls("```python\nimport os\nls(p=1)\n```") == "");
    CHECK(calls("```python\nls(p=1)\nprint(1)\n```") == "");
    CHECK(calls("```python\n```") == "");
    CHECK(calls("<|channel>thought\n<|tool_call>call:ls{}<tool_call|><channel|><|tool_call>call:"
                "write{n:2,on:true,text:<|\"|>a {b}<|\"|>,l:[<|\"|>x<|\"|>,1],o:{k:<|\"|>v<|\"|>,w:"
                "plain}}<tool_call|><|tool_call>call:ls{}<tool_call|>") ==
          R"(write{"l":["x",1],"n":2,"o":{"k":"v","w":"plain"},"on":true,"text":"a {b}"} ls{})");
  }

  TEST_CASE("FunctionGemma and Granite") {
    CHECK(calls("<start_function_call>call:write{text:<escape>a, {b}<escape>,n:2}"
                "<end_function_call>") == R"(write{"n":2,"text":"a, {b}"})");
    CHECK(calls(R"(<|tool_call|>[{"name":"ls","arguments":{"p":1}}])") == R"(ls{"p":1})");
    CHECK(has_dialect_marks("<start_function_call>call:write{text:<escape>a"));
    CHECK(has_dialect_marks(R"(<|START_ACTION|>[{"tool_name":"ls","parameters":{}}])"));
  }

  TEST_CASE("Mistral") {
    CHECK(
        calls(
            R"([TOOL_CALLS] [{"name": "ls", "arguments": {"p": [1]}}, {"name": "write", "arguments": {}}])") ==
        R"(ls{"p":[1]} write{})");
    CHECK(
        calls(
            R"(Now.[TOOL_CALLS]ls[ARGS]{"a": 3.5}[TOOL_CALLS]write[CALL_ID]abcdef123[ARGS]{"b": 6})") ==
        R"(ls{"a":3.5} write{"b":6})");
    CHECK(calls(R"([TOOL_CALLS]ls{"a": 3.5})") == R"(ls{"a":3.5})");
  }

  TEST_CASE("Kimi K2") {
    CHECK(calls("<|tool_calls_section_begin|><|tool_call_begin|>functions.ls:0"
                "<|tool_call_argument_begin|>{\"p\": 1}<|tool_call_end|><|tool_call_begin|> "
                "functions.fs.read:1 <|tool_call_argument_begin|> {}<|tool_call_end|>"
                "<|tool_calls_section_end|>") == R"(ls{"p":1} fs.read{})");
    CHECK(calls("<|tool_call_begin|>ls:0<|tool_call_argument_begin|>{}") == "ls{}");
  }

  TEST_CASE("GLM") {
    CHECK(calls("<tool_call>write\n<arg_key>text</arg_key>\n<arg_value>tool: x\n12</arg_value>\n"
                "<arg_key>n</arg_key>\n<arg_value>12</arg_value>\n</tool_call>\n"
                "<tool_call>ls<arg_key>p</arg_key><arg_value>a</arg_value></tool_call>\n"
                "<tool_call>ls\n</tool_call>") ==
          R"(write{"n":12,"text":"tool: x\n12"} ls{"p":"a"} ls{})");
  }

  TEST_CASE("MiniMax M2 and its like") {
    CHECK(
        calls("<minimax:tool_call>\n<invoke name=\"write\">\n<parameter name=\"text\">1</parameter>"
              "\n<parameter name=\"tags\">[\"a\"]</parameter>\n</invoke>\n<invoke name='ls'>\n"
              "</invoke>\n</minimax:tool_call>") == R"(write{"tags":["a"],"text":"1"} ls{})");
    CHECK(calls("<function_calls><invoke name=\"ls\"><parameter name=\"p\">a</parameter></invoke>"
                "</function_calls>") == R"(ls{"p":"a"})");
  }

  TEST_CASE("only offered tools are called") {
    CHECK(calls("For example <tool_call>{\"name\": \"rm\", \"arguments\": {}}</tool_call>") == "");
    CHECK(calls("<function=rm><parameter=p>a</parameter></function>"
                "<function=ls></function>") == "ls{}");
    CHECK(calls("<|tool_call>call:rm{}<tool_call|>") == "");
    CHECK(read_dialect_calls("<function=ls></function>", {}).empty());
  }

  TEST_CASE("thinking, code and data call nothing") {
    const std::string call = "<function=ls></function>";
    CHECK(calls("<think>" + call + "</think>So.") == "");
    CHECK(calls("So. <think>" + call + "</think>" + call) == "ls{}");
    CHECK(calls(call + "</think>So.") == "");
    CHECK(calls("So. <think>" + call) == "");
    CHECK(calls("[THINK]" + call + "[/THINK]" + call) == "ls{}");
    CHECK(calls("You write\n```xml\n" + call + "\n```\nfor it.") == "");
    CHECK(calls("```xml\n" + call + "\n```") == "ls{}");
    CHECK(calls("You write `" + call + "` for it.") == "");
    CHECK(calls(R"({"tool":"write","text":")" + call + R"("})") == "");
  }

  TEST_CASE("a call that is cut off is none") {
    const std::string whole =
        "<tool_call><function=ls><parameter=p>a</parameter></function></tool_call>";
    const std::size_t needed = whole.find("</function>") + 11;
    for (std::size_t size = 0; size < needed; ++size) {
      CAPTURE(size);
      CHECK(calls(whole.substr(0, size)) == "");
    }
    CHECK(calls("<|tool_call_begin|>functions.ls:0<|tool_call_argument_begin|>{\"p\": 1") == "");
    CHECK(calls("[TOOL_CALLS] [{\"name\": \"ls\", \"arguments\": {}}") == "");
  }

  TEST_CASE("marks of a call that is not read") {
    CHECK(has_dialect_marks("<tool_call>{\"name\": \"ls\", \"argu"));
    CHECK(has_dialect_marks("<tool_call>\ntool: ls\n"));
    CHECK(has_dialect_marks("<｜tool▁calls▁begin｜>"));
    CHECK(has_dialect_marks("<|channel|>commentary to=functions.rm json<|message|>{}"));
    CHECK(has_dialect_marks("```tool_code\nprint(1)\n```"));
    CHECK_FALSE(has_dialect_marks("<|channel|>final<|message|>Done.<|return|>"));
    CHECK_FALSE(has_dialect_marks("Write `<tool_call>`, or\n```\n<function=ls>\n```\nas in a<b."));
    CHECK_FALSE(has_dialect_marks("<think><tool_call></think>Done."));
    CHECK_FALSE(has_dialect_marks("```python\nprint(1)\n```"));
  }

  TEST_CASE("the final message of a text in gpt-oss's form is its answer") {
    CHECK(final_message("<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>"
                        "final<|message|>It is 4.\n<|return|>") == "It is 4.");
    CHECK(final_message("<|channel|>final <|constrain|>json<|message|>{\"a\": 1}") == "{\"a\": 1}");
    CHECK(final_message("<|start|>assistant<|channel|>final<|message|>") == "");
    for (const char* other : {"It is 4.", "Write <|channel|>final<|message|>text.",
                              "<|channel|>final, it says", "<|channel|>analysis<|message|>Hm."}) {
      CAPTURE(other);
      CHECK(final_message(other) == other);
    }
  }

  TEST_CASE("the form of the text planner and these do not disturb each other") {
    const auto both = [](std::string_view text) {
      return printed(read_text_calls(text, {}, tools()).calls);
    };
    CHECK(both("<tool_call>\ntool: write\ntext: <function=ls>{}</function>\n</tool_call>") ==
          R"(write{"text":"<function=ls>{}</function>"})");
    CHECK(
        both("<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=text>\n<tool_call>\n"
             "tool: rm\n</tool_call>\n</parameter>\n</function>") ==
        R"(write{"path":"a","text":"<tool_call>\ntool: rm\n</tool_call>"})");
    CHECK(both(R"(<function=ls>{"name": "rm"}</function>)") == R"(ls{"name":"rm"})");
    CHECK(both(R"({"tool": "rm"})") == "rm{}");
    CHECK(both("<rationale>{\"why\":\"w\"}</rationale><function=ls></function>") == "ls{}=w");
    CHECK(both("<think><function=ls></function></think>Done.") == "");
  }

  TEST_CASE("any cut and mixture is read, and gives whole calls") {
    const std::array<std::string, 34> pieces = {"<tool_call>",
                                                "</tool_call>",
                                                "<function=ls>",
                                                "</function>",
                                                "<parameter=p>",
                                                "</parameter>",
                                                "<|python_tag|>",
                                                "[ls(",
                                                "p=1",
                                                ")]",
                                                "```tool_code\n",
                                                "\n```",
                                                "<｜tool▁call▁begin｜>",
                                                "<｜tool▁sep｜>",
                                                "<|channel|>commentary to=functions.ls",
                                                "<|message|>",
                                                "<|start|>",
                                                "<|tool_call>call:ls",
                                                "<|\"|>",
                                                "[TOOL_CALLS]",
                                                "[ARGS]",
                                                "ls",
                                                "<|tool_call_begin|>",
                                                "<|tool_call_argument_begin|>",
                                                "<arg_key>",
                                                "</arg_key>",
                                                "<arg_value>",
                                                "</arg_value>",
                                                "<invoke name=\"ls\">",
                                                "</invoke>",
                                                "{",
                                                "}",
                                                "{\"name\":\"ls\",\"p\":1}",
                                                "<think>"};
    std::mt19937 random(20261128);
    int found = 0;
    for (int round = 0; round < 30'000; ++round) {
      std::string text;
      for (std::size_t i = random() % 12; i > 0; --i) text += pieces[random() % pieces.size()];
      text.resize(text.size() - random() % (text.size() / 4 + 1));
      CAPTURE(text);
      for (const TextCall& call : read_dialect_calls(text, tools())) {
        ++found;
        REQUIRE(tools().has(call.name));
        REQUIRE(json::is_canonical_object(call.arguments));
      }
      has_dialect_marks(text);
    }
    CHECK(found > 500);
  }

  TEST_CASE("texts made to be slow are read in linear time") {
    const std::string close = "</parameter><parameter=q>";
    for (const std::string& piece : {std::string("<tool_call>"),
                                     std::string("<tool_call>{"),
                                     std::string("<tool_call>ls:"),
                                     std::string("<function=ls><parameter=p>"),
                                     std::string("<think>"),
                                     std::string("</think>"),
                                     std::string("<invoke name=\"ls\"><parameter name=\"p\">"),
                                     std::string("[ls(p="),
                                     std::string("[ls(p=["),
                                     std::string("[ls(p='"),
                                     std::string("<|tool_call>call:ls{a:{"),
                                     std::string("<|tool_call>call:ls{a:<|\"|>"),
                                     std::string("```tool_code\nls()"),
                                     std::string("<tool_call>ls<arg_key>k</arg_key><arg_value>"),
                                     std::string("`"),
                                     std::string("<|channel|>to=functions.ls"),
                                     std::string("<|start|><|message|>"),
                                     std::string("<｜tool▁call▁begin｜>"),
                                     std::string("[TOOL_CALLS]["),
                                     std::string("<")}) {
      CAPTURE(piece);
      std::string text;
      while (text.size() < 300'000) text += piece;
      // A square would take hours, and ctest would end it.
      CHECK(read_dialect_calls(text, tools()).size() < text.size());
      while (text.size() < 450'000) text += close;
      CHECK(read_dialect_calls(text, tools()).size() < text.size());
      has_dialect_marks(text);
    }
  }
}
