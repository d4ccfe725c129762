// Calls that answers make in their texts: how the importers record them, and that the prompt stays
// what the model was sent.

#include <doctest/doctest.h>

#include "import/text_actions.h"
#include "llm/source_exit_code.h"
#include "llm/text_calls.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::compile::ToolCall;
using spoor::import::function_tag_calls;
using spoor::import::only_bash_block;
using spoor::import::TextSource;

namespace {

struct Imported {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  std::string ref;
  std::vector<Step> steps;

  explicit Imported(const std::string& sample)
      : Imported(read_file(fs::path(SPOOR_SOURCE_DIR) / "tests/data/import" / sample), sample) {}

  static Imported of(const std::string& text) { return {text, "text"}; }

  Imported(const std::string& text, const std::string& name) {
    TextSource source(name, text);
    ref = spoor::import::import_source(source, *repository, {}).value().main_ref;
    steps = history(*repository, ref);
  }

  /// Calls in texts as `id:name(arguments)`, results as `=id/number/tool`, one word each.
  std::string calls() const {
    std::string all;
    for (const Step& step : steps) {
      for (const ToolCall& call :
           spoor::llm::text_calls_of(repository->reader(), step.commit).value()) {
        all += call.id + ":" + call.name + "(" + call.arguments + ") ";
      }
      const auto& facts = step.turn.facts;
      if (facts.text("mark") != "observation") continue;
      all +=
          "=" + facts.text("call_id") + "/" + facts.json("call") + "/" + facts.text("tool") + " ";
    }
    return all;
  }

  /// `role:text` of each message of the prompt.
  std::vector<std::string> prompt() const {
    std::vector<std::string> all;
    const auto prompt = repository->compile(repository->store().ref(ref).value()).value();
    for (const auto& message : prompt.messages) {
      all.push_back(std::string(message.role) + ":" + message.text());
      CHECK(message.text().find("[obs:") == std::string::npos);
    }
    return all;
  }
};

std::string written(std::string_view text) {
  std::string all;
  for (const ToolCall& call : function_tag_calls(text)) all += call.name + call.arguments + " ";
  return all;
}

}  // namespace

TEST_SUITE("import/text_calls") {
  TEST_CASE("SWE-agent: the action of an answer is a call, the next message its result") {
    const Imported got("swe-agent/text.json");
    CHECK(got.calls() == R"(text-1:bash({"command":"open crane.py"}) =text-1/1/bash )"
                         R"(text-2:bash({"command":"submit"}) =text-2/1/bash )");
    CHECK(got.steps[2].turn.facts.text("action") == "bash");
    CHECK(got.prompt()[2] == "assistant:I look first.\n\n```\nopen crane.py\n```");
    CHECK(got.prompt()[3] == "user:1: lift()\n\n(Open file: crane.py)\nbash-$");
    CHECK_FALSE(got.steps[2].turn.fields.tool_calls);
  }

  TEST_CASE("mini-SWE-agent: the block that was run is a call, and its exit code is read") {
    const Imported got("mini-swe-agent/text.json");
    CHECK(got.calls() == R"(text-1:bash({"command":"ls bells && cat rope.txt"}) =text-1/1/bash )"
                         R"(text-2:bash({"command":"ring"}) text-3:bash({"command":"ring -l"}) )"
                         "=text-2/1/bash =text-3/2/bash ");
    CHECK(got.steps[7].turn.facts.json("exit_code") == "0");
    CHECK(got.steps[8].turn.facts.json("exit_code") == "7");
    CHECK(spoor::llm::read_source_exit_code("mini-swe-agent", got.steps[3].turn.text, false) == 2);
    CHECK(got.prompt()[3] == "user:<returncode>2</returncode>\n<output>\nno rope\n</output>");
    CHECK(got.prompt()[2] ==
          "assistant:THOUGHT: I look.\n\n```bash\nls bells && cat rope.txt\n```\n");
  }

  TEST_CASE("ShareGPT: calls in tags have their parameters as arguments") {
    const Imported got("sharegpt/tags.json");
    CHECK(got.calls() ==
          R"(text-1:str_replace_editor({"command":"view","path":"/book.txt"}) )"
          "=text-1/1/str_replace_editor "
          R"(text-2:execute_bash({"command":"cat wick\nwc wick"}) =text-2/1/execute_bash )");
    CHECK(got.prompt()[2].starts_with("assistant:I look at the book first.\n\n<function=str_"));
    CHECK(got.prompt()[3] == "user:EXECUTION RESULT of [str_replace_editor]:\nlamp: lit");
  }

  TEST_CASE("a chat list: only what was run is a call") {
    const Imported got("openai-chat/tags.json");
    CHECK(got.calls() == R"(text-1:terminal({"command":"sound --depth"}) =text-1/1/terminal )"
                         R"(text-2:bash({"command":"rope --let 12"}) =text-2/1/bash )");
  }

  TEST_CASE("a chat list: once a block was run, the last one counts too") {
    const Imported got = Imported::of(
        R"([{"role":"user","content":"Go."},{"role":"assistant","content":"```bash\nls\n```"},)"
        R"({"role":"user","content":"<returncode>0</returncode>"},)"
        R"({"role":"assistant","content":"```bash\nend\n```"},{"role":"user","content":""}])");
    CHECK(got.calls() == R"(text-1:bash({"command":"ls"}) =text-1/1/bash )"
                         R"(text-2:bash({"command":"end"}) =text-2/1/bash )");
  }

  TEST_CASE("reasoning that ends with a lone tag is no part of the answer") {
    for (const char* sample : {"openai-chat/tags.json", "sharegpt/tags.json"}) {
      CAPTURE(sample);
      const Imported got(sample);
      const Step& answer = got.steps.back();
      const Step& thought = got.steps[got.steps.size() - 2];
      CHECK(answer.turn.text.find("think") == std::string::npos);
      CHECK(thought.turn.type == spoor::compile::Type::reasoning);
      CHECK(thought.turn.fields.format == "think_tags");
      REQUIRE(answer.turn.raw.size() == 1);
      CHECK(answer.turn.raw[0].bytes.find("</think>") != std::string::npos);
    }
  }

  TEST_CASE("tags are calls at the end of a text only") {
    CHECK(written("<function=a><parameter=x>1</parameter></function>") == R"(a{"x":"1"} )");
    CHECK(written("say\n<function=a>\n</function>\n<function=b>\n") == "a{} b{} ");
    CHECK(written("<function=a>\n</function> and more").empty());
    CHECK(written("<function=a><parameter=x>1").empty());
    CHECK(written("use <function=NAME> so:\n<function=a>\n</function") == "a{} ");
    CHECK(written("<function=\n>").empty());
    CHECK(written("").empty());
  }

  TEST_CASE("a block is run if it is the only one of its language") {
    CHECK(only_bash_block("a\n```bash\nls\n```") == "ls");
    CHECK(only_bash_block("```mswea_bash_command\n ls \n\n```\n") == "ls");
    CHECK(only_bash_block("```python\nx\n```\n```bash\nls\n```") == "ls");
    CHECK_FALSE(only_bash_block("```bash\nls\n```\n```bash\nls\n```"));
    CHECK_FALSE(only_bash_block("```bashful\nls\n```"));
    CHECK_FALSE(only_bash_block("```bash\nls"));
    CHECK(only_bash_block("```bash\n```") == "");
  }
}
