#include "reply_support.h"

using namespace reply_test;
using spoor::llm::wire::read_reply;

TEST_SUITE("llm/wire/read_reply") {
  TEST_CASE("the shape tells the wire") {
    CHECK(read_reply(R"({"choices":[{"message":{"content":"a","reasoning":"r"}}]})").format ==
          "parsed");
    CHECK(read_reply(R"({"content":[{"type":"thinking","thinking":"r"}]})").format == "anthropic");
    CHECK(read_reply(R"({"output":[{"type":"reasoning","summary":[{"text":"r"}]}]})").format ==
          "responses");
    CHECK(read_reply(R"({"candidates":[{"content":{"parts":[{"text":"r","thought":true}]}}]})")
              .format == "gemini");
    CHECK(read_reply(R"({"message":{"content":"a","thinking":"r"},"done":true})").format ==
          "parsed");
  }

  TEST_CASE("texts are joined bare, reasoning by a blank line") {
    const Reply responses = read_reply(
        R"({"output":[{"type":"reasoning","summary":[{"text":"1"},{"text":""},{"text":"2"}]},)"
        R"({"type":"reasoning","summary":[{"text":"3"}]},)"
        R"({"type":"message","content":[{"type":"output_text","text":"a"},)"
        R"({"type":"refusal","refusal":"b"}]},{"type":"message","content":[)"
        R"({"type":"output_text","text":"c"}]}]})");
    CHECK(responses.text() == "abc");
    CHECK(responses.reasoning() == "1\n\n2\n\n3");
    const Reply gemini =
        read_reply(R"({"candidates":[{"content":{"parts":[{"text":"1","thought":true},)"
                   R"({"text":"2","thought":true},{"text":"a"},{"text":"b"}]}}]})");
    CHECK(gemini.text() == "ab");
    CHECK(gemini.reasoning() == "1\n\n2");
  }

  TEST_CASE("calls are read in every shape") {
    const std::string arguments = "{\"p\": 1}";
    const spoor::compile::ToolCall call{"c", "ls", arguments};
    CHECK(read_reply(R"({"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"ls",)"
                     R"("arguments":"{\"p\": 1}"}}]}}]})")
              .calls() == std::vector{call});
    CHECK(read_reply(R"({"content":[{"type":"tool_use","id":"c","name":"ls","input":{"p": 1}}]})")
              .calls() == std::vector{call});
    CHECK(read_reply(R"({"output":[{"type":"function_call","call_id":"c","name":"ls",)"
                     R"("arguments":"{\"p\": 1}"}]})")
              .calls() == std::vector{call});
    CHECK(read_reply(R"({"candidates":[{"content":{"parts":[{"functionCall":{"id":"c",)"
                     R"("name":"ls","args":{"p": 1}}}]}}]})")
              .calls() == std::vector{call});
  }

  TEST_CASE("what fits no shape is empty, and no error") {
    for (const std::string_view body :
         {"{}", "[]", "7", R"({"choices":[]})", R"({"choices":[{"message":{"content":null}}]})",
          R"({"content":"text"})", R"({"output":[]})"}) {
      const Reply reply = read_reply(body);
      CHECK(reply.text().empty());
      CHECK(reply.pieces.empty());
      CHECK(!reply.failure);
    }
  }

  TEST_CASE("an error object is a failure, and so is what is no JSON") {
    CHECK(read_reply(R"({"error":{"message":"no","type":"overloaded_error"}})").failure->kind ==
          Failure::Kind::overloaded);
    CHECK(read_reply("<html>").failure->kind == Failure::Kind::malformed);
  }
}
