// Exports of conversations: what each format does with a message that has everything.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "guard/redact/rule_set.h"
#include "report/export/atif.h"
#include "report/export/chat_lines.h"
#include "report/export/inspect_log.h"
#include "report/export/sts.h"

namespace spoor::report {
namespace {

using nlohmann::json;

Oid oid(char digit) { return Oid::from_hex(std::string(64, digit)).value(); }

ConversationMessage said(const char* role, const char* text, char digit) {
  ConversationMessage message;
  message.role = role;
  message.text = text;
  message.commit = oid(digit);
  return message;
}

// A developer's prompt, a request, an answer with two calls, their results, an answer, a request.
Conversation sample() {
  Conversation made;
  made.head = oid('f');
  made.id = "s-1";
  made.agent = "codex";
  made.tools = {R"({"function":{"name":"look"},"type":"function"})"};
  made.messages = {said("developer", "Be brief.", '1'),
                   said("user", "Look.", '2'),
                   said("assistant", "", '3'),
                   said("tool", "a", '4'),
                   said("tool", "b", '5'),
                   said("assistant", "Seen.", '6'),
                   said("user", "And?", '7')};
  made.messages[2].reasoning = "I look.";
  made.messages[2].calls = {{"c1", "look", R"({"z":1,"a":2})"}, {"", "patch", "*** Begin"}};
  made.messages[2].model = "m-1";
  made.messages[2].spent.usage = {.input = 5, .cached = 7, .output = 3};
  made.messages[3].call_id = "c1";
  made.messages[3].tool = "look";
  made.messages[3].is_error = true;
  return made;
}

}  // namespace

TEST_SUITE("report/conversation_export") {
  TEST_CASE("an example of training ends with an answer") {
    LeftOut left_out;
    const auto line = sft_line(sample(), ChatForm::openai, left_out);
    const json made = json::parse(line.value());
    CHECK(made.size() == 2);
    CHECK(made["messages"].size() == 6);
    CHECK(made["messages"][0]["role"] == "developer");
    CHECK(made["messages"][2]["tool_calls"][0]["function"]["arguments"] == R"({"z":1,"a":2})");
    CHECK(made["tools"][0]["function"]["name"] == "look");
    CHECK(left_out.counts().at(std::string(left_out::kUnanswered)) == 1);

    Conversation asked = sample();
    asked.messages.resize(2);
    CHECK_FALSE(sft_line(asked, ChatForm::openai, left_out));
    CHECK(left_out.counts().at(std::string(left_out::kNoAnswer)) == 1);
  }

  TEST_CASE("TRL's form has arguments as objects, in the order of the model") {
    LeftOut left_out;
    const auto line = sft_line(sample(), ChatForm::trl, left_out).value();
    CHECK(line.find(R"("arguments":{"z":1,"a":2})") != std::string::npos);
    const json made = json::parse(line);
    CHECK(made["messages"][0]["role"] == "system");
    CHECK(made["messages"][2]["reasoning_content"] == "I look.");
    CHECK(made["messages"][2]["tool_calls"][1]["function"]["arguments"] ==
          json{{"input", "*** Begin"}});
    CHECK(made["messages"][3]["name"] == "look");
    CHECK(left_out.counts().at(std::string(left_out::kWrapped)) == 1);
  }

  TEST_CASE("arguments keep their bytes where they fit on a line") {
    LeftOut left_out;
    CHECK(arguments_object(R"({"b": "\u2019", "a":1.50})", left_out) ==
          R"({"b": "\u2019", "a":1.50})");
    CHECK(arguments_object("{\n  \"b\": 2,\n  \"a\": 1\n}\n", left_out) == R"({"b":2,"a":1})");
    CHECK(arguments_object("{\"a\":\"\t\"}", left_out) == R"({"a":"\t"})");
    CHECK(arguments_object("", left_out) == "{}");
    const std::string lines = "{\n  \"b\": \"\\\"\\n\",\n\t\"a\": 1\n}";
    CHECK(arguments_object(lines, left_out, Layout::as_written) == lines);
    CHECK(arguments_object("{\n\"a\":\"\t\"}", left_out, Layout::as_written) == R"({"a":"\t"})");
    CHECK(left_out.empty());
    CHECK(arguments_object("[1]", left_out) == R"({"input":"[1]"})");
    CHECK_FALSE(left_out.empty());
  }

  TEST_CASE("a pair shares the messages of the same commits") {
    LeftOut left_out;
    Conversation worse = sample();
    worse.messages[5] = said("assistant", "Nothing.", 'a');
    const auto line =
        dpo_line({sample(), {oid('8')}}, {worse, {oid('9')}}, "t", 2, ChatForm::openai, left_out);
    const json made = json::parse(line.value());
    CHECK(made["prompt"].size() == 2);
    CHECK(made["chosen"].size() == 4);
    CHECK(made["rejected"][3]["content"] == "Nothing.");
    CHECK(made["chosen_judgements"][0] == std::string(64, '8'));
    CHECK(made["rejected_judgements"][0] == std::string(64, '9'));

    CHECK_FALSE(dpo_line({sample(), {}}, {sample(), {}}, "t", 2, ChatForm::openai, left_out));
    CHECK(left_out.counts().at("pairs of equal attempts") == 1);
  }

  TEST_CASE("the session's line comes first in a trace") {
    LeftOut left_out;
    const std::string lines = sts_lines(sample(), left_out);
    const json head = json::parse(lines.substr(0, lines.find('\n')));
    CHECK(head["type"] == "session");
    CHECK(head["harness"] == "spoor");
    CHECK(head["id"] == "s-1");
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 8);
    CHECK(lines.find(R"("toolCallId":"c1")") != std::string::npos);
  }

  TEST_CASE("calls without an id are numbered, and their results in order") {
    LeftOut left_out;
    Conversation made = sample();
    made.messages[2].calls.push_back({"", "look", "{}"});
    made.messages[4] = said("tool", "c", '8');
    made.messages[4].call_id = "c1";  // It comes after the other.
    made.messages[3].call_id = "";
    made.messages[3] = said("tool", "b", '4');
    made.messages.insert(made.messages.begin() + 5, said("tool", "d", '9'));
    made.messages.insert(made.messages.begin() + 6, said("tool", "nobody asked", 'a'));
    made.messages[2].calls[0].id = "";
    made.messages[2].calls[1].id = "c1";
    number_calls(made, left_out);
    CHECK(made.messages[2].calls[0].id == "call-1");
    CHECK(made.messages[2].calls[1].id == "c1");
    CHECK(made.messages[2].calls[2].id == "call-3");
    CHECK(made.messages[3].call_id == "call-1");
    CHECK(made.messages[4].call_id == "c1");
    CHECK(made.messages[5].call_id == "call-3");
    CHECK(made.messages[6].call_id.empty());
    CHECK(left_out.counts().at(std::string(left_out::kNumbered)) == 2);
  }

  TEST_CASE("a result is the observation of the step with its call") {
    LeftOut left_out;
    Conversation named = sample();
    number_calls(named, left_out);
    const json made = json::parse(atif_document(named, {}, left_out));
    REQUIRE(made["steps"].size() == 5);
    const json& step = made["steps"][2];
    CHECK(step["step_id"] == 3);
    CHECK(step["source"] == "agent");
    CHECK(step["reasoning_content"] == "I look.");
    CHECK(step["metrics"]["prompt_tokens"] == 12);
    CHECK(step["metrics"]["cached_tokens"] == 7);
    CHECK(step["tool_calls"][1]["tool_call_id"] == "call-2");
    CHECK(step["observation"]["results"][0]["source_call_id"] == "c1");
    CHECK(step["observation"]["results"][0]["extra"]["is_error"] == true);
    CHECK(step["observation"]["results"][1]["source_call_id"] == "call-2");
    CHECK(made["steps"][0]["source"] == "system");
  }

  TEST_CASE("an agent is referred to by the result of the call that has its request") {
    LeftOut left_out;
    Conversation main = sample();
    main.messages[2].calls[0].arguments = R"({"to":{"prompt":"Count."}})";
    Conversation called = sample();
    called.messages = {said("user", "Count.", 'a'), said("assistant", "Two.", 'b')};
    const json made = json::parse(atif_document(main, {{"agent-1", called, {}}}, left_out));
    CHECK(made["subagent_trajectories"][0]["trajectory_id"] == "agent-1");
    const json& results = made["steps"][2]["observation"]["results"];
    CHECK(results[0]["subagent_trajectory_ref"][0]["trajectory_id"] == "agent-1");
    CHECK_FALSE(results[1].contains("subagent_trajectory_ref"));
  }

  TEST_CASE("judgements are scores of Inspect") {
    LeftOut left_out;
    InspectLog log(left_out);
    guard::check::Judgement judgement;
    judgement.commit = oid('f');
    judgement.note = oid('8');
    judgement.results.resize(1);
    judgement.results[0].check = "test";
    judgement.results[0].status = trace::CheckStatus::fail;
    log.add(sample(), "s-1", 1, {judgement});
    log.add(sample(), "s-1", 1, {});
    const json made = json::parse(log.document());
    CHECK(made["version"] == 2);
    CHECK(made["samples"][0]["scores"]["test"]["value"] == "I");
    CHECK(made["samples"][0]["scores"]["test"]["metadata"]["judgement"] == std::string(64, '8'));
    CHECK(made["samples"][1]["epoch"] == 2);
    CHECK(made["samples"][0]["model_usage"]["m-1"]["total_tokens"] == 15);
    CHECK(made["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 0);
    CHECK(log.document() == log.document());
  }

  TEST_CASE("secrets give way to placeholders in every text") {
    const auto rules = guard::RuleSet::with_builtin().value();
    guard::MemoryNumbering numbers;
    const std::string token = "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zAb";
    Conversation made = sample();
    made.title = token;
    made.messages[1].text = token;
    made.messages[2].reasoning = token;
    made.messages[2].calls[0].arguments = R"({"key":")" + token + "\"}";
    LeftOut left_out;
    REQUIRE(redact(made, guard::Redactor(*rules, numbers), left_out).has_value());
    const std::string line = sft_line(made, ChatForm::trl, left_out).value();
    CHECK(line.find(token) == std::string::npos);
    CHECK(made.title.find(token) == std::string::npos);
    std::uint64_t secrets = 0;
    for (const auto& [reason, count] : left_out.counts()) {
      if (reason.starts_with("secrets replaced")) secrets += count;
    }
    CHECK(secrets == 4);
  }
}

}  // namespace spoor::report
