#include "receive/otlp.h"

#include <doctest/doctest.h>

#include <string>

#include "receive/answer.h"
#include "receive/events.h"
#include "receive/protobuf.h"

namespace spoor::receive {
namespace {

const std::string kOwn =
    R"({"traceId":"5b8aa5a2d2c872e8321cf37308d69df2","spanId":"00f067aa0ba902b3","name":"chat",)"
    R"("attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]})";
const std::string kOther =
    R"({"traceId":"5b8aa5a2d2c872e8321cf37308d69df2","spanId":"00f067aa0ba902b4","name":"GET",)"
    R"("attributes":[{"key":"session.id","value":{"stringValue":"1"}}]})";

std::string scope(const std::string& name, const std::string& spans) {
  return R"({"scope":{"name":")" + name + R"("},"spans":[)" + spans + "]}";
}

std::string post(const std::string& scopes) {
  return R"({"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[)" + scopes + "]}]}";
}

std::string kept(const std::string& body) { return keep(Signal::traces, body).value().document; }

TEST_SUITE("receive/otlp") {
  TEST_CASE("A post with nothing else is kept byte for byte") {
    const std::string body = "  " + post(" " + scope("genai", kOwn + " , " + kOwn)) + "\n";
    CHECK(kept(body) == body);
  }

  TEST_CASE("Other spans are left out, with the scopes and batches that have nothing else") {
    CHECK(kept(post(scope("http", kOther) + "," + scope("genai", kOther + "," + kOwn))) ==
          post(scope("genai", kOwn)));
    CHECK(kept(post(scope("http", kOther))).empty());
    CHECK(kept(R"({"resourceSpans":[]})").empty());
    CHECK(kept("{}").empty());
  }

  TEST_CASE("JSON becomes protobuf, and the same JSON again") {
    const std::string values =
        R"({"key":"gen_ai.usage.input_tokens","value":{"intValue":"-9007199254740993"}},)"
        R"({"key":"d","value":{"doubleValue":0.0117}},{"key":"b","value":{"boolValue":true}},)"
        R"({"key":"l","value":{"arrayValue":{"values":[{"stringValue":"é\u0000"}]}}},)"
        R"({"key":"o","value":{"kvlistValue":{"values":[{"key":"k","value":{"stringValue":""}}]}}})";
    const std::string span =
        R"({"traceId":"5b8aa5a2d2c872e8321cf37308d69df2","spanId":"00f067aa0ba902b3","name":"chat",)"
        R"("kind":3,"startTimeUnixNano":"1763755200000000000","endTimeUnixNano":"1763755201000000000",)"
        R"("attributes":[)" +
        values + R"(],"status":{"message":"no","code":2}})";
    const std::string body =
        R"({"resourceSpans":[{"resource":{},"scopeSpans":[)" + scope("genai", span) + "]}]}";
    const std::string bytes = protobuf_of_json(Signal::traces, body).value();
    CHECK(bytes.size() < body.size() / 2);
    CHECK(json_of_protobuf(Signal::traces, bytes).value() == body);
    CHECK(!protobuf_of_json(Signal::traces, "[").has_value());
    CHECK(!protobuf_of_json(Signal::traces, post(scope("x", R"({"spanId":"0g"})"))).has_value());
  }

  TEST_CASE("Spans of internal scopes are left out, whatever their attributes") {
    CHECK(kept(post(scope("codex_exec", kOwn))).empty());
    CHECK(kept(post(scope("codex-app-server", kOwn))).empty());
    CHECK(kept(post(scope("gemini-cli", kOwn))).empty());
  }

  TEST_CASE("A span without an id is rejected, and one that is left out anyway is not") {
    const std::string lame = R"({"spanId":"00f067aa0ba902b3","name":"x","attributes":)"
                             R"([{"key":"llm.model_name","value":{"stringValue":"m"}}]})";
    const auto found = keep(Signal::traces, post(scope("s", lame + "," + kOwn + ",{}"))).value();
    CHECK(found.rejected == 1);
    CHECK(found.document == post(scope("s", kOwn)));
  }

  TEST_CASE("What is around the spans is told without them") {
    const std::string body = post(scope("genai", kOwn));
    const auto document = json::parse(body);
    CHECK(surroundings(Signal::traces, document->root()) ==
          std::vector<std::string>{
              R"({"resource":{"attributes":[]},"scopeSpans":[{"scope":{"name":"genai"}}]})"});
  }

  TEST_CASE("Protobuf becomes OTLP/JSON, in the order of field numbers") {
    using namespace std::string_literals;
    // A log record: body `hi`, then the time, then an attribute with -1, then one with 0.5.
    const std::string record =
        "\x2a\x04\x0a\x02hi\x09\x01\0\0\0\0\0\0\0"s
        "\x32\x10\x0a\x01"s
        "a\x12\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s
        "\x32\x0e\x0a\x01"s
        "b\x12\x09\x21\0\0\0\0\0\0\xe0\x3f"s
        "\x52\x02\x01\xab"s;
    const auto message = [](char field, const std::string& inner) {
      return std::string{field, static_cast<char>(inner.size())} + inner;
    };
    const std::string body = message('\x0a', message('\x12', message('\x12', record)));
    CHECK(json_of_protobuf(Signal::logs, body).value() ==
          R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","body":)"
          R"({"stringValue":"hi"},"attributes":[{"key":"a","value":{"intValue":"-1"}},)"
          R"({"key":"b","value":{"doubleValue":0.5}}],"spanId":"01ab"}]}]}]})");
    CHECK(json_of_protobuf(Signal::logs, body.substr(0, body.size() - 1)).error().code ==
          Error::Code::invalid);
    CHECK(json_of_protobuf(Signal::traces, "").value() == "{}");
  }
}

TEST_SUITE("receive/events") {
  TEST_CASE("An event names its session and its turn, and has no person") {
    const std::string record =
        R"({"timeUnixNano":"1780000000000000000","body":{"stringValue":"claude_code.tool_result"},)"
        R"("attributes":[{"key":"user.email","value":{"stringValue":"a@b.c"}},)"
        R"({"key":"session.id","value":{"stringValue":"s"}},)"
        R"({"key":"tool_use_id","value":{"stringValue":"t"}},)"
        R"({"key":"duration_ms","value":{"intValue":"-7"}},)"
        R"({"key":"tool_input","value":{"stringValue":"{}"}}]})";
    const auto document = json::parse(record);
    const auto event = read_event(document->root());
    REQUIRE(event);
    CHECK(event->agent == "claude-code");
    CHECK(event->session == "s");
    CHECK(event->call == "t");
    CHECK(event->facts ==
          R"({"event":"claude_code.tool_result","time":"2026-05-28T20:26:40.000000Z",)"
          R"("session.id":"s","tool_use_id":"t","duration_ms":-7})");
    CHECK(event->text.ends_with(R"("duration_ms":-7,"tool_input":"{}"})"));
  }

  TEST_CASE("Records of other programs are not events") {
    for (const std::string record :
         {R"({"body":{"stringValue":"GET /"}})", "{}", R"({"eventName":"claude.code"})",
          R"({"attributes":[{"key":"event.name","value":{"stringValue":"user_prompt"}}]})"}) {
      const auto document = json::parse(record);
      CHECK_FALSE(read_event(document->root()));
    }
  }
}

TEST_SUITE("receive/answer") {
  TEST_CASE("A client is told to come again if what it sent could not be put down") {
    const auto put = [](Signal, std::string) -> Result<void> {
      return io_error("the disk is full");
    };
    const Answer made =
        answer({"POST", "/v1/traces", "application/json", "", post(scope("s", kOwn))}, 1000, put);
    CHECK(made.status == 503);
    CHECK(made.body == R"({"code":14,"message":"the disk is full"})");
  }
}

}  // namespace
}  // namespace spoor::receive
