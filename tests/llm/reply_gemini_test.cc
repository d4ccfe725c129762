#include "reply_support.h"

using namespace reply_test;

namespace {

std::string chunk(const std::string& parts, const std::string& more = {}) {
  return R"({"candidates":[{"content":{"role":"model","parts":[)" + parts + "]}" + more +
         R"(}],"modelVersion":"m","responseId":"r1"})";
}

const std::string kStop = R"(,"finishReason":"STOP")";

Reply stream(const std::vector<std::string>& data) {
  return parse_every_way(Wire::gemini, events(data));
}

}  // namespace

TEST_SUITE("llm/wire/reply/gemini") {
  TEST_CASE("a whole body: each part is its bytes") {
    const Reply reply = parse_every_way(
        Wire::gemini,
        chunk(R"({"text":"2+2", "thought":true},{"text":"Fo"},{"text":"ur."},)"
              R"({"functionCall":{"name":"ls","args":{"p": 1.0}},"thoughtSignature":"c2ln"},)"
              R"({"executableCode":{"code":"1"}})",
              kStop));
    CHECK(!reply.failure);
    CHECK(kinds(reply) == "rttco");
    CHECK(reply.format == "gemini");
    CHECK(reply.reasoning() == "2+2");
    CHECK(reply.text() == "Four.");
    CHECK(raws(reply) ==
          std::vector<std::string>{
              R"({"text":"2+2", "thought":true})", R"({"text":"Fo"})", R"({"text":"ur."})",
              R"({"functionCall":{"name":"ls","args":{"p": 1.0}},"thoughtSignature":"c2ln"})",
              R"({"executableCode":{"code":"1"}})"});
    CHECK(reply.calls().at(0).arguments == "{\"p\": 1.0}");
    CHECK(reply.id == "r1");
    CHECK(reply.model == "m");
    CHECK(reply.finish_reason == "STOP");
  }

  TEST_CASE("a stream continues plain texts, and leaves signed parts alone") {
    const std::vector<std::string> messages = {
        chunk(R"({"text":"2","thought":true})"),
        chunk(R"({"text":"+2","thought":true})"),
        chunk(R"({"text":"Fo"})"),
        chunk(R"({"text":"u"})"),
        chunk(R"({"text":"r.","thoughtSignature":"c2ln\u003d"})"),
        chunk(R"({"text":"","thoughtSignature":"bW9yZQ=="},{"text":"!"})"),
        chunk(R"({"text":""})", kStop)};
    const Reply reply = stream(messages);
    CHECK(!reply.failure);
    CHECK(reply.reasoning() == "2+2");
    CHECK(reply.text() == "Four.!");
    CHECK(raws(reply) == std::vector<std::string>{
                             R"({"text":"2+2","thought":true})", R"({"text":"Fou"})",
                             R"({"text":"r.","thoughtSignature":"c2ln\u003d"})",
                             R"({"text":"","thoughtSignature":"bW9yZQ=="})", R"({"text":"!"})"});
    // The same without Server-Sent Events: one array.
    std::string array;
    for (const std::string& message : messages)
      array += (array.empty() ? "[" : "\n,\r\n") + message;
    CHECK(parse_every_way(Wire::gemini, array + "]\n") == reply);
  }

  TEST_CASE("two calls of a whole message are two, even with one id") {
    const std::string call = R"({"functionCall":{"id":"a","name":"ls","args":{"p":)";
    const Reply reply =
        parse_every_way(Wire::gemini, R"({"candidates":[{"content":{"parts":[)" + call + "1}}}," +
                                          call + R"(2}}}]},"finishReason":"STOP"}]})");
    CHECK(reply.calls() == std::vector<spoor::compile::ToolCall>{{"a", "ls", R"({"p":1})"},
                                                                 {"a", "ls", R"({"p":2})"}});
  }

  TEST_CASE("a call without an id gets one that the same reply gets again") {
    const std::string call = R"({"functionCall":{"name":"ls","args":{}}})";
    const Reply reply = stream({chunk(call + "," + call, kStop)});
    REQUIRE(reply.calls().size() == 2);
    CHECK(reply.calls()[0].id.starts_with("call_"));
    CHECK(reply.calls()[0].id != reply.calls()[1].id);
    CHECK(stream({chunk(call), chunk(call, kStop)}).calls() == reply.calls());
    const Reply own = stream({chunk(R"({"functionCall":{"id":"c1","name":"ls"}})", kStop)});
    CHECK(own.calls().at(0) == spoor::compile::ToolCall{"c1", "ls", "{}"});
  }

  TEST_CASE("arguments that come in pieces are put together by their paths") {
    const Reply reply = stream(
        {chunk(R"({"functionCall":{"name":"go","willContinue":true},"thoughtSignature":"c2ln"})"),
         chunk(R"({"functionCall":{"partialArgs":[{"jsonPath":"$.to[1].city","stringValue":"Bos",)"
               R"("willContinue":true}],"willContinue":true}})"),
         chunk(R"({"functionCall":{"partialArgs":[{"jsonPath":"$.to[1].city","stringValue":"ton"},)"
               R"({"jsonPath":"$['on foot']","boolValue":true},)"
               R"({"jsonPath":"$.n","numberValue":1.50},{"jsonPath":"nonsense","nullValue":0}],)"
               R"("willContinue":true}})"),
         chunk(R"({"functionCall":{}})"), chunk(R"({"functionCall":{"name":"stop"}})", kStop)});
    REQUIRE(reply.calls().size() == 2);
    const std::string arguments = R"({"to":[null,{"city":"Boston"}],"on foot":true,"n":1.50})";
    CHECK(reply.calls()[0].arguments == arguments);
    CHECK(reply.pieces.at(0).raw == R"({"functionCall":{"name":"go","args":)" + arguments +
                                        R"(},"thoughtSignature":"c2ln"})");
    CHECK(reply.calls()[1].name == "stop");
  }

  TEST_CASE("thoughts are counted apart and belong to the output") {
    const Reply reply = parse_every_way(
        Wire::gemini,
        R"({"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],)"
        R"("usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,)"
        R"("candidatesTokenCount":3,"thoughtsTokenCount":20,"totalTokenCount":33}})");
    CHECK(reply.usage.input == 6);
    CHECK(reply.usage.cached == 4);
    CHECK(reply.usage.output == 23);
    CHECK(reply.usage.reasoning == 20);
  }

  TEST_CASE("a blocked prompt is a failure, and so is an error, in an array too") {
    const Reply blocked =
        parse_every_way(Wire::gemini, R"({"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}})");
    REQUIRE(blocked.failure);
    CHECK(blocked.failure->kind == Failure::Kind::invalid_request);
    CHECK(blocked.failure->type == "PROHIBITED_CONTENT");
    const std::string error =
        R"({"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}})";
    for (const std::string& body : {error, "[" + error + "\n]", events({error})}) {
      const Reply reply = parse_every_way(Wire::gemini, body);
      REQUIRE(reply.failure);
      CHECK(reply.failure->kind == Failure::Kind::overloaded);
    }
  }

  TEST_CASE("a stream that ends early keeps what came") {
    const Reply reply = stream({chunk(R"({"text":"Fo"})")});
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Failure::Kind::network);
    CHECK(reply.text() == "Fo");
  }
}
