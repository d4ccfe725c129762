#include "reply_support.h"

using namespace reply_test;

namespace {

Reply stream(const std::vector<std::string>& data) {
  return parse_every_way(Wire::openai_chat, events(data));
}

Reply whole(const std::string& message) {
  return parse_every_way(Wire::openai_chat, R"({"id":"c1","model":"m","choices":[{"index":0,)"
                                            R"("message":)" +
                                                message + R"(,"finish_reason":"stop"}]})");
}

std::string delta(const std::string& members) {
  return R"({"id":"c1","model":"m","choices":[{"index":0,"delta":{)" + members + "}}]}";
}

const std::string kStop =
    R"({"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";

}  // namespace

TEST_SUITE("llm/wire/reply/openai_chat") {
  TEST_CASE("a whole message") {
    const Reply reply = whole(R"({"role":"assistant","content":"Four.","reasoning":"2+2"})");
    CHECK(!reply.failure);
    CHECK(reply.text() == "Four.");
    CHECK(reply.reasoning() == "2+2");
    CHECK(reply.format == "parsed");
    CHECK(reply.id == "c1");
    CHECK(reply.model == "m");
    CHECK(reply.finish_reason == "stop");
    CHECK(reply.raw == R"({"role":"assistant","content":"Four.","reasoning":"2+2"})");
  }

  TEST_CASE("a stream says the same, without the bytes of a message") {
    const Reply reply = stream({delta(R"("role":"assistant","content":"")"),
                                delta(R"("reasoning":"2")"), delta(R"("reasoning":"+2")"),
                                delta(R"("content":"Fo")"), delta(R"("content":"ur.")"), kStop,
                                R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,)"
                                R"("total_tokens":14,"prompt_tokens_details":{"cached_tokens":4},)"
                                R"("completion_tokens_details":{"reasoning_tokens":3}}})",
                                "[DONE]"});
    CHECK(!reply.failure);
    CHECK(kinds(reply) == "rt");
    CHECK(reply.text() == "Four.");
    CHECK(reply.reasoning() == "2+2");
    CHECK(reply.raw.empty());
    CHECK(reply.usage.input == 5);
    CHECK(reply.usage.cached == 4);
    CHECK(reply.usage.output == 5);
    CHECK(reply.usage.reasoning == 3);
    CHECK(reply.usage.raw.starts_with("{\"prompt_tokens\":9,"));
  }

  TEST_CASE("reasoning beats reasoning_content, which beats think tags, which never stay") {
    const Reply both = whole(R"({"content":"a","reasoning":"one","reasoning_content":"two"})");
    CHECK(both.format == "parsed");
    CHECK(both.reasoning() == "one");

    const Reply content = whole(R"({"content":"<think>x</think>a","reasoning_content":"two"})");
    CHECK(content.format == "reasoning_content");
    CHECK(content.text() == "a");
    CHECK(content.reasoning() == "two\n\nx");

    const Reply twice = whole(R"({"content":"<think>two</think>a","reasoning_content":"two"})");
    CHECK(twice.reasoning() == "two");

    const Reply left = whole(R"({"content":"\n</think>\n\na","reasoning_content":"two"})");
    CHECK(left.text() == "a");

    const Reply tags = whole(R"({"content":"<think>x</think>\na"})");
    CHECK(tags.format == "think_tags");
    CHECK(tags.text() == "a");
    CHECK(tags.reasoning() == "x");
    CHECK(tags.raw == R"({"content":"<think>x</think>\na"})");
  }

  TEST_CASE("empty members are no reasoning") {
    const Reply reply = whole(R"({"content":"a","reasoning":null,"reasoning_content":""})");
    CHECK(!reply.reasoning());
    CHECK(reply.format.empty());
    CHECK(kinds(reply) == "t");
  }

  TEST_CASE("think tags in a stream are not shown, whatever their cuts") {
    const std::string body =
        events({delta(R"("content":"<th")"), delta(R"("content":"ink>2+")"),
                delta(R"("content":"2</thi")"), delta(R"("content":"nk>\n\nFour.")"), kStop});
    Told told;
    const Reply reply = parse(Wire::openai_chat, body, 5, &told);
    CHECK(reply == parse_every_way(Wire::openai_chat, body));
    CHECK(reply.format == "think_tags");
    CHECK(told.text == "Four.");
    CHECK(told.reasoning == "2+2");
  }

  TEST_CASE("reasoning details are kept byte for byte, and read where nothing else is") {
    const Reply reply = whole(R"({"content":"a","reasoning":"hm","reasoning_details":[)"
                              R"({"type":"reasoning.text", "text":"hm","signature":"c2ln"},)"
                              R"({"type":"reasoning.encrypted","data":"x"}]})");
    CHECK(reply.pieces.at(0).raw == R"([{"type":"reasoning.text", "text":"hm","signature":"c2ln"},)"
                                    R"({"type":"reasoning.encrypted","data":"x"}])");

    const Reply sealed = stream(
        {delta(R"("reasoning_details":[{"type":"reasoning.encrypted","data":"x","index":0}])"),
         delta(R"("content":"a")"), kStop});
    CHECK(kinds(sealed) == "rt");
    CHECK(!sealed.reasoning());
    CHECK(sealed.format == "parsed");
    CHECK(sealed.pieces.at(0).raw == R"([{"type":"reasoning.encrypted","data":"x","index":0}])");

    const Reply read =
        stream({delta(R"("reasoning_details":[{"type":"reasoning.text","text":"h"}])"),
                delta(R"("reasoning_details":[{"type":"reasoning.text","text":"m"}])"),
                delta(R"("content":"a")"), kStop});
    CHECK(read.reasoning() == "hm");
    CHECK(read.pieces.at(0).raw ==
          R"([{"type":"reasoning.text","text":"h"},{"type":"reasoning.text","text":"m"}])");
  }

  TEST_CASE("calls of a stream are told apart by their index") {
    Told told;
    const std::string body = events(
        {delta(
             R"("tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":""}}])"),
         delta(R"("tool_calls":[{"index":0,"id":"","function":{"arguments":"{\"p\""}}])"),
         delta(R"("tool_calls":[{"index":1,"id":"b","function":{"name":"ca","arguments":""}}])"),
         delta(R"("tool_calls":[{"index":1,"function":{"name":"t","arguments":"{}"}}])"),
         delta(R"("tool_calls":[{"index":0,"function":{"arguments":": 1}"}}])"), kStop});
    const Reply reply = parse(Wire::openai_chat, body, 3, &told);
    CHECK(reply == parse_every_way(Wire::openai_chat, body));
    REQUIRE(kinds(reply) == "cc");
    CHECK(reply.calls()[0] == spoor::compile::ToolCall{"a", "ls", "{\"p\": 1}"});
    CHECK(reply.calls()[1] == spoor::compile::ToolCall{"b", "cat", "{}"});
    CHECK(told.calls == "ls;cat;");
    CHECK(raws(reply) == std::vector<std::string>{"", ""});
  }

  TEST_CASE("without an index, another id or another name makes another call") {
    const Reply ids = stream(
        {delta(R"("tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{}"}}])"),
         delta(R"("tool_calls":[{"id":"b","function":{"name":"ls","arguments":"{}"}}])"), kStop});
    CHECK(ids.calls().size() == 2);

    const Reply zero = stream(
        {delta(
             R"("tool_calls":[{"index":0,"id":"","function":{"name":"ls","arguments":"{\"a\":1}"}}])"),
         delta(
             R"("tool_calls":[{"index":0,"id":"","function":{"name":"ls","arguments":"{\"a\":2}"}}])"),
         kStop});
    REQUIRE(zero.calls().size() == 2);
    CHECK(zero.calls()[0].id.starts_with("call_"));
    CHECK(zero.calls()[0].id != zero.calls()[1].id);

    const Reply repeated = stream(
        {delta(R"("tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}])"),
         delta(R"("tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"}"}}])"),
         kStop});
    CHECK(repeated.calls() == std::vector<spoor::compile::ToolCall>{{"a", "ls", "{}"}});
  }

  TEST_CASE("two calls of a whole message are two, even with one id or one index") {
    for (const char* index : {"", R"("index":0,)"}) {
      const std::string head = std::string("{") + index + R"("id":"a","type":"function",)";
      const Reply reply = whole(R"({"content":"","tool_calls":[)" + head +
                                R"("function":{"name":"ls","arguments":"{\"p\":1}"}},)" + head +
                                R"("function":{"name":"ls","arguments":"{\"p\":2}"}}]})");
      CHECK(reply.calls() == std::vector<spoor::compile::ToolCall>{{"a", "ls", R"({"p":1})"},
                                                                   {"a", "ls", R"({"p":2})"}});
    }
  }

  TEST_CASE("a call's own members are kept in its item") {
    const std::string call =
        R"({"id":"a","type":"function","function":{"name":"ls","arguments":"{\"p\": 1}"},)"
        R"("extra_content":{"google":{"thought_signature":"c2ln"}}})";
    const Reply reply = stream({delta("\"tool_calls\":[" + call + "]"), kStop});
    CHECK(raws(reply) == std::vector<std::string>{call});
  }

  TEST_CASE("arguments that are an object are its bytes, and the older function call is read") {
    const Reply object = whole(
        R"({"content":null,"tool_calls":[{"id":"a","function":{"name":"ls","arguments":{"p": 1}}}]})");
    CHECK(object.calls().at(0).arguments == "{\"p\": 1}");
    const Reply older = stream({delta(R"("function_call":{"name":"ls","arguments":"{\"p\""})"),
                                delta(R"("function_call":{"arguments":":1}"})"), kStop});
    REQUIRE(older.calls().size() == 1);
    CHECK(older.calls()[0].arguments == "{\"p\":1}");
    CHECK(!older.calls()[0].id.empty());
  }

  TEST_CASE("content may be an array of thinking and text") {
    const Reply reply =
        whole(R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"2+2"}]},)"
              R"({"type":"text","text":"Four"},{"type":"reference","reference_ids":[1]},)"
              R"({"type":"text","text":"."}]})");
    CHECK(kinds(reply) == "rtot");
    CHECK(reply.format == "parsed");
    CHECK(reply.text() == "Four.");
    CHECK(reply.pieces.at(0).raw ==
          R"({"type":"thinking","thinking":[{"type":"text","text":"2+2"}]})");

    const Reply streamed = stream(
        {delta(R"("content":[{"type":"thinking","thinking":[{"type":"text","text":"2"}]}])"),
         delta(
             R"("content":[{"type":"thinking","thinking":[{"type":"text","text":"+2"}],"closed":true}])"),
         delta(R"("content":[{"type":"text","text":"Fo"}])"), delta(R"("content":"ur.")"), kStop});
    CHECK(kinds(streamed) == "rt");
    CHECK(streamed.text() == "Four.");
    CHECK(streamed.pieces.at(0).raw ==
          R"({"type":"thinking","thinking":[{"type":"text","text":"2+2"}],"closed":true})");
  }

  TEST_CASE("a refusal is text") {
    const Reply reply = whole(R"({"content":null,"refusal":"I cannot."})");
    CHECK(reply.text() == "I cannot.");
  }

  TEST_CASE("what else a stream says beside is kept") {
    const Reply reply = stream({delta(R"("content":"a","annotations":[{"url":"u"}])"), kStop});
    CHECK(kinds(reply) == "to");
    CHECK(reply.pieces.at(1).raw == R"({"annotations":[{"url":"u"}]})");
  }

  TEST_CASE("a character in halves is whole again") {
    const Reply reply =
        stream({delta(R"("content":"\ud83d")"), delta(R"("content":"\ude00")"), kStop});
    CHECK(reply.text() == "\xF0\x9F\x98\x80");
  }

  TEST_CASE("keep-alives, missing blanks and a missing last line do no harm") {
    const std::string body = ": OPENROUTER PROCESSING\r\n\r\ndata:" + delta(R"("content":"a")") +
                             "\r\n\r\n: ping\r\n\r\ndata:" + kStop;
    const Reply reply = parse_every_way(Wire::openai_chat, body);
    CHECK(!reply.failure);
    CHECK(reply.text() == "a");
    const Reply padded =
        parse_every_way(Wire::openai_chat,
                        "\n\n    \n"
                        R"({"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]})"
                        "\n \n");
    CHECK(!padded.failure);
    CHECK(padded.text() == "a");
  }

  TEST_CASE("a stream that ends early is a failure, beside what came") {
    const Reply reply = stream({delta(R"("content":"Fo")"), delta(R"("content":"ur")")});
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Failure::Kind::network);
    CHECK(reply.failure->message == "the stream ended before the reply did");
    CHECK(reply.text() == "Four");
    const Reply torn =
        parse_every_way(Wire::openai_chat, R"({"choices":[{"message":{"content":"Four)");
    REQUIRE(torn.failure);
    CHECK(torn.failure->kind == Failure::Kind::network);
    CHECK(parse_every_way(Wire::openai_chat, "").failure->kind == Failure::Kind::network);
    for (const char* cut : {"da", "event: mess", ": PROCESSING\n\n", "data: {\"id\":\"x\",\"obj"}) {
      CAPTURE(cut);
      CHECK(parse_every_way(Wire::openai_chat, cut).failure->kind == Failure::Kind::network);
    }
    const Reply other = parse_every_way(Wire::openai_chat, "<html>502</html>");
    CHECK(other.failure->kind == Failure::Kind::malformed);
  }

  TEST_CASE("an error within a stream is a failure, beside what came") {
    const Reply reply =
        stream({delta(R"("content":"Fo")"),
                R"({"id":"c1","error":{"code":502,"message":"Provider disconnected"},)"
                R"("choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]})"});
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Failure::Kind::server);
    CHECK(reply.failure->message == "Provider disconnected");
    CHECK(reply.failure->type == "502");
    CHECK(reply.text() == "Fo");
    CHECK(reply.finish_reason == "error");
  }

  TEST_CASE("an event called error is a failure, in whatever words") {
    const std::string begun = events({delta(R"("content":"Fo")")});
    const Reply object = parse_every_way(
        Wire::openai_chat,
        begun + "event: error\ndata: {\"message\":\"busy\",\"type\":\"overloaded_error\"}\n\n");
    REQUIRE(object.failure);
    CHECK(object.failure->kind == Failure::Kind::overloaded);
    CHECK(object.text() == "Fo");
    const Reply words =
        parse_every_way(Wire::openai_chat, begun + "event: error\ndata: it broke\n\n");
    REQUIRE(words.failure);
    CHECK(words.failure->kind == Failure::Kind::server);
    CHECK(words.failure->message == "it broke");
  }

  TEST_CASE("what is no reply is malformed, and shown") {
    const Reply page = parse_every_way(Wire::openai_chat, "<html><body>Welcome</body></html>");
    REQUIRE(page.failure);
    CHECK(page.failure->kind == Failure::Kind::malformed);
    CHECK(page.failure->raw == "<html><body>Welcome</body></html>");
    CHECK(parse_every_way(Wire::openai_chat, "{}").failure->kind == Failure::Kind::malformed);
    const Reply broken = stream({delta(R"("content":"Fo")"), "{\"choices\":[}", kStop});
    REQUIRE(broken.failure);
    CHECK(broken.failure->kind == Failure::Kind::malformed);
    CHECK(broken.failure->raw == "{\"choices\":[}");
    CHECK(broken.text() == "Fo");
  }

  TEST_CASE("reasoning that is counted apart belongs to the output") {
    const Reply reply = parse_every_way(
        Wire::openai_chat,
        R"({"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":)"
        R"({"prompt_tokens":12,"completion_tokens":1,"total_tokens":303,)"
        R"("completion_tokens_details":{"reasoning_tokens":290}}})");
    CHECK(reply.usage.output == 291);
    CHECK(reply.usage.reasoning == 290);
    CHECK(reply.usage.input == 12);
    CHECK(!reply.usage.cached);
  }

  TEST_CASE("a body that is too long is given up, however it is cut") {
    const std::string most(spoor::llm::wire::kMaxReply, ' ');
    const auto parser = spoor::llm::wire::make_reply_parser(Wire::openai_chat);
    CHECK(parser->feed(events({delta(R"("content":"a")")}), {}));
    CHECK(!parser->feed(most, {}));
    CHECK(!parser->feed("data: {", {}));
    const Reply reply = parser->finish({});
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Failure::Kind::malformed);
    CHECK(reply.failure->message == "the reply is longer than 64 MiB");
    CHECK(reply.text() == "a");
    CHECK(parse(Wire::openai_chat, events({delta(R"("content":"a")")}) + most, 1U << 20U) == reply);
  }
}
