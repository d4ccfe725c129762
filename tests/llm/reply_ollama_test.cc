#include "reply_support.h"

using namespace reply_test;

namespace {

std::string line(const std::string& message, const std::string& more = R"("done":false)") {
  return R"({"model":"m","created_at":"2030-01-01T00:00:00Z","message":{"role":"assistant",)" +
         message + "}," + more + "}\n";
}

const std::string kDone =
    R"("done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":5)";

}  // namespace

TEST_SUITE("llm/wire/reply/ollama") {
  TEST_CASE("a stream of lines") {
    const Reply reply =
        parse_every_way(Wire::ollama, line(R"("content":"","thinking":"2+")") +
                                          line(R"("content":"","thinking":"2")") + "\n" +
                                          line(R"("content":"Fo")") + line(R"("content":"ur.")") +
                                          line(R"("content":"")", kDone));
    CHECK(!reply.failure);
    CHECK(kinds(reply) == "rt");
    CHECK(reply.format == "parsed");
    CHECK(reply.reasoning() == "2+2");
    CHECK(reply.text() == "Four.");
    CHECK(reply.model == "m");
    CHECK(reply.finish_reason == "stop");
    CHECK(reply.usage.input == 9);
    CHECK(reply.usage.output == 5);
    CHECK(reply.raw.empty());
  }

  TEST_CASE("a whole body keeps its message") {
    const Reply reply = parse_every_way(Wire::ollama, line(R"("content":"Four.")", kDone));
    CHECK(reply.raw == R"({"role":"assistant","content":"Four."})");
    CHECK(reply.text() == "Four.");
    CHECK(reply.format.empty());
  }

  TEST_CASE("calls have objects as arguments, and ids of our making") {
    const std::string call = R"({"function":{"name":"ls","arguments":{"p": 1}}})";
    const Reply reply =
        parse_every_way(Wire::ollama, line(R"("content":"","tool_calls":[)" + call + "]") +
                                          line(R"("content":"","tool_calls":[)" + call + "]") +
                                          line(R"("content":"")", kDone));
    REQUIRE(reply.calls().size() == 2);
    CHECK(reply.calls()[0].name == "ls");
    CHECK(reply.calls()[0].arguments == "{\"p\": 1}");
    CHECK(reply.calls()[0].id != reply.calls()[1].id);
  }

  TEST_CASE("two calls of one message are two, even with one id") {
    const std::string call = R"({"id":"a","function":{"name":"ls","arguments":{"p":)";
    const Reply reply = parse_every_way(
        Wire::ollama,
        line(R"("content":"","tool_calls":[)" + call + "1}}}," + call + "2}}}]", kDone));
    CHECK(reply.calls() == std::vector<spoor::compile::ToolCall>{{"a", "ls", R"({"p":1})"},
                                                                 {"a", "ls", R"({"p":2})"}});
  }

  TEST_CASE("think tags of older models are reasoning") {
    const Reply reply = parse_every_way(Wire::ollama, line(R"("content":"<think>2+2</think>")") +
                                                          line(R"("content":"Four.")", kDone));
    CHECK(reply.format == "think_tags");
    CHECK(reply.reasoning() == "2+2");
    CHECK(reply.text() == "Four.");
  }

  TEST_CASE("an error line is a failure, beside what came, and so is an early end") {
    const Reply error = parse_every_way(
        Wire::ollama, line(R"("content":"Fo")") + R"({"error":"llama runner has terminated"})"
                                                  "\n");
    REQUIRE(error.failure);
    CHECK(error.failure->kind == Failure::Kind::server);
    CHECK(error.failure->message == "llama runner has terminated");
    CHECK(error.text() == "Fo");
    const Reply early = parse_every_way(Wire::ollama, line(R"("content":"Fo")"));
    REQUIRE(early.failure);
    CHECK(early.failure->kind == Failure::Kind::network);
    CHECK(early.raw.empty());
  }
}
