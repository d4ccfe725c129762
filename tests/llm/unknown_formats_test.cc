// What a provider says in words that this version does not know: nothing of it is lost.
#include <doctest/doctest.h>

#include "llm/generate.h"
#include "llm/scripted.h"
#include "llm/wire/reply_parser.h"
#include "tests/llm/replies.h"

using namespace spoor;
using namespace spoor::testing;
using llm::Wire;

namespace {

struct Sample {
  std::string provider;
  Wire wire;
  std::string item;    // Of a type or format that nobody knows.
  std::string before;  // Of the body, in front of the item and behind it.
  std::string after;
};

const std::vector<Sample> kSamples = {
    {"openrouter", Wire::openai_chat,
     R"({"type":"reasoning.telepathy","format":"something-new-v1","data":"x1"})",
     R"({"choices":[{"message":{"role":"assistant","content":"Four.","reasoning_details":[)",
     R"(],"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]},)"
     R"("finish_reason":"tool_calls"}]})"},
    {"openai", Wire::openai_responses, R"({"type":"telepathy","id":"t1","payload":["x1"]})",
     R"({"id":"r","status":"completed","output":[{"type":"reasoning","id":"rs","summary":[],)"
     R"("encrypted_content":"e"},)",
     R"(,{"type":"message","id":"m1","content":[{"type":"output_text","text":"Four."}]}]})"},
    {"anthropic", Wire::anthropic, R"({"type":"telepathic_thinking","thought":"x1"})",
     R"({"type":"message","content":[)", R"(,{"type":"text","text":"Four."}]})"},
    {"gemini", Wire::gemini, R"({"telepathy":{"x1":true},"thoughtSignature":"c2ln"})",
     R"({"candidates":[{"content":{"parts":[)", R"(,{"text":"Four."}]},"finishReason":"STOP"}]})"},
};

llm::Profile profile_of(const Sample& sample) {
  llm::Profile profile;
  profile.name = sample.provider;
  profile.wire = sample.wire;
  return profile;
}

llm::ScriptedAnswer answer_of(const Sample& sample) {
  const auto parser = llm::wire::make_reply_parser(sample.wire);
  parser->feed(sample.before + sample.item + sample.after, {});
  llm::ScriptedAnswer answer;
  answer.reply = parser->finish({});
  return answer;
}

}  // namespace

TEST_SUITE("llm/unknown_formats") {
  TEST_CASE("an item of an unknown format fails no call, and goes back byte for byte") {
    for (const Sample& sample : kSamples) {
      CAPTURE(sample.provider);
      const auto repository = still_repository();
      auto main = repository->branch("main");
      llm::NoWaiting waiting;
      llm::ScriptedProvider provider(profile_of(sample), {answer_of(sample), answer_of(sample)},
                                     waiting);
      llm::Candidate candidate;
      candidate.provider = &provider;
      candidate.model = "m";
      const auto made = llm::chat(main, "2+2?", candidate, {});
      REQUIRE(made);
      CHECK_FALSE(made->reply.failure);
      CHECK(made->reply.text() == "Four.");
      for (const auto& call : made->reply.calls()) main.tool("a.txt", call.id, call.name).value();
      REQUIRE(llm::chat(main, "Sure?", candidate, {}));
      CHECK(provider.requests().at(1).body.find(sample.item) != std::string::npos);
    }
  }

  TEST_CASE("a reasoning has the format that its reply says, in any word") {
    for (const std::string& said : {std::string("something-new-v1"), std::string(64, 'w')}) {
      const auto repository = still_repository();
      auto main = repository->branch("main");
      main.user("2+2?").value();
      const auto made =
          commit(main, reply_of({thought_piece("hm", R"({"t":1})"), text_piece("4")}, said), "new");
      REQUIRE(made.reasoning);
      const auto turn = graph::read_turn(repository->reader(), *made.reasoning).value();
      CHECK(turn.fields.format == said);
      REQUIRE(turn.raw.size() == 1);
      CHECK(turn.raw[0].bytes == R"({"t":1})");
    }
  }

  TEST_CASE("what is no word at all is the format raw, and the answer is there") {
    for (const std::string& said : {std::string("two words"), std::string(65, 'w'),
                                    std::string("\x1b[31m"), std::string("\xff")}) {
      const auto repository = still_repository();
      auto main = repository->branch("main");
      main.user("2+2?").value();
      const auto made = commit(main, reply_of({thought_piece("hm"), text_piece("4")}, said), "new");
      REQUIRE(made.reasoning);
      const auto turn = graph::read_turn(repository->reader(), *made.reasoning).value();
      CHECK(turn.fields.format == "raw");
      CHECK(graph::read_turn(repository->reader(), made.answer).value().text == "4");
    }
  }
}
