#include "reply_support.h"

using namespace reply_test;

namespace {

const std::string kStart =
    R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",)"
    R"("model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":7,)"
    R"("cache_read_input_tokens":5,"cache_creation_input_tokens":3,"output_tokens":1}}})";
const std::string kEnd =
    R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20}})";
const std::string kStop = R"({"type":"message_stop"})";

std::string begin(int index, const std::string& block) {
  return R"({"type":"content_block_start","index":)" + std::to_string(index) +
         R"(,"content_block":)" + block + "}";
}

std::string more(int index, const std::string& delta) {
  return R"({"type":"content_block_delta","index":)" + std::to_string(index) + R"(,"delta":)" +
         delta + "}";
}

std::string end(int index) {
  return R"({"type":"content_block_stop","index":)" + std::to_string(index) + "}";
}

// A stream of these blocks, whole.
Reply stream(std::vector<std::string> data) {
  data.insert(data.begin(), kStart);
  data.push_back(kEnd);
  data.push_back(kStop);
  return parse_every_way(Wire::anthropic, events(data));
}

Reply whole(const std::string& content) {
  return parse_every_way(Wire::anthropic,
                         R"({"id":"msg_1","type":"message","role":"assistant","model":"m",)"
                         R"("content":)" +
                             content + R"(,"stop_reason":"end_turn"})");
}

}  // namespace

TEST_SUITE("llm/wire/reply/anthropic") {
  TEST_CASE("a whole message: each block is its bytes") {
    const std::string thinking = R"({"type":"thinking", "thinking":"2+2","signature":"c2ln"})";
    const std::string call = R"({"type":"tool_use","id":"t1","name":"ls","input":{"p": "/"}})";
    const Reply reply = whole("[" + thinking + R"(, {"type":"text","text":"Four."},)" + call + "]");
    CHECK(!reply.failure);
    CHECK(kinds(reply) == "rtc");
    CHECK(reply.format == "anthropic");
    CHECK(reply.reasoning() == "2+2");
    CHECK(reply.pieces.at(0).raw == thinking);
    CHECK(reply.pieces.at(1).raw == R"({"type":"text","text":"Four."})");
    CHECK(reply.pieces.at(2).raw == call);
    CHECK(reply.calls().at(0) == spoor::compile::ToolCall{"t1", "ls", R"({"p": "/"})"});
    CHECK(reply.finish_reason == "end_turn");
  }

  TEST_CASE("a stream puts the same blocks together, with the provider's own bytes") {
    const Reply reply = stream(
        {begin(0, R"({"type":"thinking","thinking":"","signature":""})"), R"({"type": "ping"})",
         more(0, R"({"type":"thinking_delta","thinking":"2\u002b"})"),
         more(0, R"({"type":"thinking_delta","thinking":"2"})"),
         more(0, R"({"type":"signature_delta","signature":"c2ln\/=="})"), end(0),
         begin(1, R"({"type":"text","text":""})"),
         more(1, R"({"type":"text_delta","text":"Fo\""})"),
         more(1, R"({"type":"text_delta","text":"ur."})"), end(1),
         begin(
             2,
             R"({"type":"tool_use","id":"t1","name":"ls","input":{},"caller":{"type":"direct"}})"),
         more(2, R"({"type":"input_json_delta","partial_json":""})"),
         more(2, R"({"type":"input_json_delta","partial_json":"{\"p\": "})"),
         more(2, R"({"type":"input_json_delta","partial_json":"1.0}"})"), end(2)});
    CHECK(!reply.failure);
    CHECK(
        raws(reply) ==
        std::vector<std::string>{
            R"({"type":"thinking","thinking":"2\u002b2","signature":"c2ln\/=="})",
            R"({"type":"text","text":"Fo\"ur."})",
            R"({"type":"tool_use","id":"t1","name":"ls","input":{"p": 1.0},"caller":{"type":"direct"}})"});
    CHECK(reply.reasoning() == "2+2");
    CHECK(reply.text() == "Fo\"ur.");
    CHECK(reply.calls().at(0).arguments == "{\"p\": 1.0}");
    CHECK(reply.id == "msg_1");
    CHECK(reply.model == "m");
    CHECK(reply.finish_reason == "end_turn");
    CHECK(reply.usage.input == 7);
    CHECK(reply.usage.cached == 5);
    CHECK(reply.usage.cache_written == 3);
    CHECK(reply.usage.output == 20);
    CHECK(reply.usage.raw == R"({"input_tokens":7,"cache_read_input_tokens":5,)"
                             R"("cache_creation_input_tokens":3,"output_tokens":20})");
  }

  TEST_CASE("a call without arguments has an empty object") {
    const Reply reply =
        stream({begin(0, R"({"type":"tool_use","id":"t1","name":"ls","input":{}})"),
                more(0, R"({"type":"input_json_delta","partial_json":""})"), end(0)});
    CHECK(reply.calls().at(0).arguments == "{}");
    CHECK(raws(reply).at(0) == R"({"type":"tool_use","id":"t1","name":"ls","input":{}})");
  }

  TEST_CASE("two calls of a whole message are two, even with one id") {
    const std::string call = R"({"type":"tool_use","id":"a","name":"ls","input":{"p":)";
    const Reply reply = parse_every_way(
        Wire::anthropic, R"({"type":"message","content":[)" + call + "1}}," + call + "2}}]}");
    CHECK(reply.calls() == std::vector<spoor::compile::ToolCall>{{"a", "ls", R"({"p":1})"},
                                                                 {"a", "ls", R"({"p":2})"}});
  }

  TEST_CASE("thinking without text is a piece as any other") {
    const Reply reply = stream({begin(0, R"({"type":"thinking","thinking":"","signature":""})"),
                                more(0, R"({"type":"signature_delta","signature":"c2ln"})"), end(0),
                                begin(1, R"({"type":"redacted_thinking","data":"eA=="})"), end(1)});
    CHECK(kinds(reply) == "rr");
    CHECK(!reply.reasoning());
    CHECK(reply.format == "anthropic");
    CHECK(raws(reply) ==
          std::vector<std::string>{R"({"type":"thinking","thinking":"","signature":"c2ln"})",
                                   R"({"type":"redacted_thinking","data":"eA=="})"});
  }

  TEST_CASE("citations are part of their text's item") {
    const Reply reply =
        stream({begin(0, R"({"citations":[],"type":"text","text":""})"),
                more(0, R"({"type":"text_delta","text":"a"})"),
                more(0, R"({"type":"citations_delta","citation":{"n":1}})"),
                more(0, R"({"type":"citations_delta","citation":{"n":2}})"), end(0)});
    CHECK(raws(reply).at(0) == R"({"citations":[{"n":1},{"n":2}],"type":"text","text":"a"})");
  }

  TEST_CASE("any other block is kept, deltas and all") {
    const Reply reply = stream(
        {begin(0, R"({"type":"server_tool_use","id":"s","name":"web_search","input":{}})"),
         more(0, R"({"type":"input_json_delta","partial_json":"{\"q\":1}"})"), end(0),
         begin(1, R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"x":1}]})"),
         end(1), begin(2, R"({"type":"compaction","content":null})"),
         more(2, R"({"type":"compaction_delta","content":"short"})"), end(2)});
    CHECK(kinds(reply) == "ooo");
    CHECK(raws(reply) ==
          std::vector<std::string>{
              R"({"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1}})",
              R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"x":1}]})",
              R"({"type":"compaction","content":"short"})"});
  }

  TEST_CASE("what the provider changed of the request is kept as it came") {
    const Reply reply = parse_every_way(
        Wire::anthropic,
        R"({"type":"message","content":[],"input_transformations":[{"type": "x"}]})");
    CHECK(reply.transformations == R"([{"type": "x"}])");
  }

  // In `message_start`; after a fallback of the server again in the last `message_delta`.
  TEST_CASE("of a stream the last list of dropped thinking counts") {
    const std::string first = R"([{"type":"thinking_dropped","path":"messages.1.content.0",)"
                              R"("reason":"prefix_binding_mismatch"}])";
    const std::string last =
        R"([{"type":"thinking_mismatch_allowed","path":"messages.3.content.0",)"
        R"("reason":"prefix_binding_mismatch"}])";
    const std::string start =
        R"({"type":"message_start","message":{"id":"m","input_transformations":)" + first + "}}";
    const auto end = [](const std::string& more) {
      return R"({"type":"message_delta","delta":{"stop_reason":"end_turn"})" + more + "}";
    };
    const std::string stop = R"({"type":"message_stop"})";
    CHECK(parse_every_way(Wire::anthropic, events({start, end(""), stop})).transformations ==
          first);
    CHECK(parse_every_way(Wire::anthropic,
                          events({start, end(R"(,"input_transformations":)" + last), stop}))
              .transformations == last);
  }

  TEST_CASE("an error ends the reply, beside what came") {
    const Reply reply = parse_every_way(
        Wire::anthropic,
        events({kStart, begin(0, R"({"type":"text","text":""})"),
                more(0, R"({"type":"text_delta","text":"Fo"})"),
                R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"}));
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Failure::Kind::overloaded);
    CHECK(reply.failure->type == "overloaded_error");
    CHECK(reply.failure->message == "Overloaded");
    CHECK(reply.text() == "Fo");
    CHECK(reply.pieces.at(0).raw.empty());
  }

  TEST_CASE("a stream that ends early keeps what came, but no half items") {
    const std::string body =
        events({kStart, begin(0, R"({"type":"text","text":""})"),
                more(0, R"({"type":"text_delta","text":"a"})"), end(0),
                begin(1, R"({"type":"tool_use","id":"t1","name":"ls","input":{}})"),
                more(1, R"({"type":"input_json_delta","partial_json":"{\"p\": \"/"})")});
    const Reply reply = parse_every_way(Wire::anthropic, body);
    REQUIRE(reply.failure);
    CHECK(reply.failure->kind == Failure::Kind::network);
    CHECK(raws(reply) == std::vector<std::string>{R"({"type":"text","text":"a"})", ""});
    CHECK(reply.calls().at(0) == spoor::compile::ToolCall{"t1", "ls", "{\"p\": \"/"});
  }
}
