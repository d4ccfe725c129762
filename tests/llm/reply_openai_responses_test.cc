#include "reply_support.h"

using namespace reply_test;

namespace {

Reply stream(const std::vector<std::string>& data) {
  return parse_every_way(Wire::openai_responses, events(data));
}

std::string item(const std::string& how, int index, const std::string& value) {
  return R"({"type":"response.output_item.)" + how + R"(","output_index":)" +
         std::to_string(index) + R"(,"item":)" + value + "}";
}

std::string delta(const std::string& of, int index, const std::string& text,
                  const std::string& more = {}) {
  return R"({"type":"response.)" + of + R"(.delta","output_index":)" + std::to_string(index) +
         more + R"(,"delta":")" + text + "\"}";
}

std::string end(const std::string& how, const std::string& members) {
  return R"({"type":"response.)" + how + R"(","response":{"id":"resp_1","model":"m","status":")" +
         how + R"(","error":null,)" + members + "}}";
}

const std::string kReasoning =
    R"({"id":"rs_1","type":"reasoning", "summary":[{"type":"summary_text","text":"2"},)"
    R"({"type":"summary_text","text":"+2"}],"encrypted_content":"the finished one"})";
const std::string kMessage =
    R"({"id":"msg_1","type":"message","content":[{"type":"output_text","text":"Four."}]})";
const std::string kCall =
    R"({"id":"fc_1","type":"function_call","call_id":"c1","name":"ls","arguments":"{\"p\": 1}"})";

}  // namespace

TEST_SUITE("llm/wire/reply/openai_responses") {
  TEST_CASE("a whole body: each item is its bytes") {
    const Reply reply = parse_every_way(
        Wire::openai_responses,
        R"({"id":"resp_1","object":"response","model":"m","status":"completed","error":null,)"
        R"("output":[)" +
            kReasoning + ",\n" + kMessage + "," + kCall +
            R"(,{"type":"web_search_call","id":"w"}],"usage":{"input_tokens":9,)"
            R"("input_tokens_details":{"cached_tokens":4},"output_tokens":8,)"
            R"("output_tokens_details":{"reasoning_tokens":6},"total_tokens":17}})");
    CHECK(!reply.failure);
    CHECK(kinds(reply) == "rtco");
    CHECK(raws(reply) == std::vector<std::string>{kReasoning, kMessage, kCall,
                                                  R"({"type":"web_search_call","id":"w"})"});
    CHECK(reply.reasoning() == "2\n\n+2");
    CHECK(reply.format == "responses");
    CHECK(reply.calls().at(0) == spoor::compile::ToolCall{"c1", "ls", "{\"p\": 1}"});
    CHECK(reply.finish_reason == "completed");
    CHECK(reply.usage.input == 5);
    CHECK(reply.usage.cached == 4);
    CHECK(reply.usage.output == 8);
    CHECK(reply.usage.reasoning == 6);
    CHECK(reply.raw.empty());
  }

  TEST_CASE("in a stream the finished item counts, not the one that was added") {
    Told told;
    const std::string body = events(
        {R"({"type":"response.created","response":{"id":"resp_1","model":"m","output":[]}})",
         item("added", 0, R"({"id":"rs_1","type":"reasoning","encrypted_content":"early"})"),
         delta("reasoning_summary_text", 0, "2", R"(,"summary_index":0)"),
         delta("reasoning_summary_text", 0, "+2", R"(,"summary_index":1)"),
         item("done", 0, kReasoning), item("added", 1, R"({"id":"msg_1","type":"message"})"),
         delta("output_text", 1, "Fo"), delta("output_text", 1, "ur."), item("done", 1, kMessage),
         item("added", 2, R"({"id":"fc_1","type":"function_call","name":"ls"})"),
         delta("function_call_arguments", 2, "{"), item("done", 2, kCall),
         end("completed", R"("output":[)" + kReasoning + "," + kMessage + "," + kCall + "]")});
    const Reply reply = parse(Wire::openai_responses, body, 9, &told);
    CHECK(reply == parse_every_way(Wire::openai_responses, body));
    CHECK(!reply.failure);
    CHECK(raws(reply) == std::vector<std::string>{kReasoning, kMessage, kCall});
    CHECK(reply.id == "resp_1");
    CHECK(told.text == "Four.");
    CHECK(told.reasoning == "2\n\n+2");
    CHECK(told.calls == "ls;");
  }

  TEST_CASE("an item without an end of its own is taken from the whole") {
    const Reply reply = stream({item("added", 0, R"({"id":"msg_1","type":"message"})"),
                                delta("output_text", 0, "Four."),
                                end("completed", R"("output":[)" + kMessage + "," + kCall + "]")});
    CHECK(raws(reply) == std::vector<std::string>{kMessage, kCall});
    CHECK(reply.text() == "Four.");
  }

  TEST_CASE("two calls are two, even with one id, whole or with one of them in a stream") {
    const auto call = [](const std::string& number) {
      return R"({"id":"fc","type":"function_call","call_id":"a","name":"ls","arguments":")" +
             number + "\"}";
    };
    const std::string output = R"("output":[)" + call("1") + "," + call("2") + "]";
    const std::vector<spoor::compile::ToolCall> both = {{"a", "ls", "1"}, {"a", "ls", "2"}};
    CHECK(
        parse_every_way(Wire::openai_responses, R"({"id":"r","status":"completed",)" + output + "}")
            .calls() == both);
    CHECK(stream({item("done", 0, call("1")), end("completed", output)}).calls() == both);
  }

  TEST_CASE("reasoning without a summary is read from its content") {
    const Reply reply =
        parse_every_way(Wire::openai_responses,
                        R"({"output":[{"type":"reasoning","summary":[],"content":[)"
                        R"({"type":"reasoning_text","text":"2+2"}]}],"status":"completed"})");
    CHECK(reply.reasoning() == "2+2");
    const Reply sealed = parse_every_way(
        Wire::openai_responses,
        R"({"output":[{"type":"reasoning","summary":[],"encrypted_content":"x"}],"status":"completed"})");
    CHECK(kinds(sealed) == "r");
    CHECK(!sealed.reasoning());
    CHECK(sealed.format == "responses");
  }

  TEST_CASE("a refusal is text") {
    const Reply reply = parse_every_way(
        Wire::openai_responses,
        R"({"output":[{"type":"message","content":[{"type":"refusal","refusal":"I cannot."}]}],)"
        R"("status":"completed"})");
    CHECK(reply.text() == "I cannot.");
  }

  TEST_CASE("an incomplete response is an answer that says why it ended") {
    const Reply reply = stream(
        {item("done", 0, kMessage),
         end("incomplete", R"("incomplete_details":{"reason":"max_output_tokens"},"output":[)" +
                               kMessage + "]")});
    CHECK(!reply.failure);
    CHECK(reply.finish_reason == "max_output_tokens");
    CHECK(reply.text() == "Four.");
  }

  TEST_CASE("a failed response and an error event are failures, beside what came") {
    const Reply failed = stream(
        {delta("output_text", 0, "Fo"),
         R"({"type":"response.failed","response":{"id":"resp_1","status":"failed","output":[],)"
         R"("error":{"code":"rate_limit_exceeded","message":"Slow down"}}})"});
    REQUIRE(failed.failure);
    CHECK(failed.failure->kind == Failure::Kind::rate_limited);
    CHECK(failed.failure->message == "Slow down");
    CHECK(failed.text() == "Fo");
    const Reply error =
        stream({delta("output_text", 0, "Fo"),
                R"({"type":"error","code":"server_error","message":"Oops","param":null})"});
    REQUIRE(error.failure);
    CHECK(error.failure->kind == Failure::Kind::server);
    CHECK(error.failure->type == "server_error");
    CHECK(error.text() == "Fo");
  }

  TEST_CASE("a stream that ends early keeps what came, but no half items") {
    const Reply reply = stream(
        {item("added", 0, R"({"id":"rs_1","type":"reasoning","encrypted_content":"early"})"),
         delta("reasoning_summary_text", 0, "2+2", R"(,"summary_index":0)"),
         item("added", 1, R"({"id":"fc_1","type":"function_call","call_id":"c1","name":"ls"})"),
         delta("function_call_arguments", 1, "{\\\"p\\\"")});
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Failure::Kind::network);
    CHECK(kinds(reply) == "rc");
    CHECK(reply.reasoning() == "2+2");
    CHECK(reply.calls().at(0) == spoor::compile::ToolCall{"c1", "ls", "{\"p\""});
    CHECK(raws(reply) == std::vector<std::string>{"", ""});
  }
}
