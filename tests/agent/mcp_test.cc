#include <chrono>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>

#include "agent/mcp/http_channel.h"
#include "agent/mcp/result.h"
#include "agent/mcp/server.h"
#include "agent/mcp/stdio_channel.h"
#include "agent/mcp/tool_list.h"
#include "base/base64.h"
#include "llm/http/recorded_transport.h"
#include "tests/agent/builtin_stage.h"

namespace spoor::agent::mcp {
namespace {

using builtin::Stage;
using std::chrono::milliseconds;

/// A server of tests/mcp/server.py in the root of a stage.
struct Local {
  Stage stage;
  Server::Settings settings;

  explicit Local(const std::string& fault) {
    stage.put("server.py", Stage::bytes_of(SPOOR_SOURCE_DIR "/tests/mcp/server.py"));
    settings.name = "t";
    settings.is_confined = true;
    settings.client.open = [base = builtin::open_base(stage.settings).value(),
                            fault](Listener listener) {
      return start_server({{"python3", "server.py", "modern", fault}, {}}, base,
                          std::move(listener));
    };
  }
};

std::vector<ServerTool> listed(const std::string& tools, bool has_headers, std::size_t left_out) {
  const auto document = json::parse(tools);
  ToolList list(has_headers);
  list.add(document->root());
  CHECK(list.left_out().size() == left_out);
  return list.tools();
}

llm::http::Exchange exchange(int status, std::string body, std::string type = "application/json") {
  return {.method = "POST",
          .url = "http://localhost/mcp",
          .status = status,
          .headers = {{"content-type", std::move(type)}},
          .body = std::move(body),
          .chunks = {},
          .failure = {}};
}

const Listener kDeaf{.notified = [](auto, auto&) {}, .asked = [](auto) { return Answer{}; }};

}  // namespace

TEST_SUITE("agent/mcp") {
  TEST_CASE("a call that takes too long is cancelled, and the server is still there") {
    Local local("hangs");
    local.settings.call_timeout = milliseconds(500);
    const auto opened = Server::open(local.settings);
    REQUIRE(opened);
    CHECK((*opened)->revision() == "2026-07-28");
    const ToolDefinition echo = (*opened)->definitions().front();
    CHECK(echo.id == "t.echo");
    CHECK(echo.read_only);
    const auto begin = std::chrono::steady_clock::now();
    ToolContext context;
    context.timeout = milliseconds(500);
    const ToolResult result = Server::make(*opened, echo).run(R"({"text": "x"})", context);
    CHECK(result.is_error);
    CHECK(result.text.find("the server 't': the time for this call is over") != std::string::npos);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  }

  TEST_CASE("progress of a call is passed on") {
    Local local("");
    const auto opened = Server::open(local.settings).value();
    std::string said;
    ToolContext context;
    context.output = [&](std::string_view text) { said += text; };
    for (const ToolDefinition& tool : opened->definitions()) {
      if (tool.id == "t.slow") Server::make(opened, tool).run("{}", context);
    }
    CHECK(said == "half 1 of 2\n");
  }

  TEST_CASE("a silent server is given up") {
    Local local("silent");
    local.settings.connect_timeout = milliseconds(1'000);
    const auto opened = Server::open(local.settings);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().message == "the server 't': the time for this call is over");
  }

  TEST_CASE("values of headers are encoded where they must be") {
    CHECK(header_value("us-west1") == "us-west1");
    CHECK(header_value("Hello, 世界") == "=?base64?SGVsbG8sIOS4lueVjA==?=");
    CHECK(header_value(" padded ") == "=?base64?IHBhZGRlZCA=?=");
    CHECK(header_value("line1\nline2") == "=?base64?bGluZTEKbGluZTI=?=");
    CHECK(header_value("=?base64?literal?=") == "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    CHECK(header_value("").empty());
  }

  TEST_CASE("a tool that cannot be used is left out, and the others stay") {
    CHECK(listed(R"([{"name": "a", "inputSchema": {"type": "object"}}, {"name": "a",
                   "inputSchema": {}}, {"inputSchema": {}}, {"name": "b"}, 7, {"name": "c",
                   "inputSchema": {"type": "nothing"}}, {"name": "d", "inputSchema": {"type": "string"}},
                   {"name": "e", "inputSchema": {"type": "object", "oneOf": [{}]}}])",
                 false, 7)
              .size() == 1);
    const std::string nested =
        R"([{"name": "a", "inputSchema": {"type": "object", "properties": {"o": {"properties":
      {"x": {"type": "string", "x-mcp-header": "Place"}}}}}}])";
    const auto tools = listed(nested, true, 0);
    const auto arguments = json::parse(R"({"o": {"x": "ö"}})");
    const auto headers = header_parameters(tools.at(0), arguments->root());
    REQUIRE(headers.size() == 1);
    CHECK(headers[0] == std::pair<std::string, std::string>("mcp-param-place", "=?base64?w7Y=?="));
    const auto absent = json::parse(R"({"o": {"x": null}})");
    CHECK(header_parameters(tools.at(0), absent->root()).empty());
  }

  TEST_CASE("headers that break the rules leave a tool out over HTTP only") {
    for (
        const char* schema :
        {R"({"type": "object", "properties": {"x": {"type": "number", "x-mcp-header": "X"}}})",
         R"({"type": "object", "properties": {"x": {"type": "string", "x-mcp-header": ""}}})",
         R"({"type": "object", "properties": {"x": {"type": "string", "x-mcp-header": "a b"}}})",
         R"({"type": "object", "properties": {"x": {"items": {"type": "string", "x-mcp-header": "X"}}}})",
         R"({"type": "object", "properties": {"x": {"type": "string", "x-mcp-header": "X"},
                             "y": {"type": "string", "x-mcp-header": "x"}}})"}) {
      const std::string tools = std::string(R"([{"name": "a", "inputSchema": )") + schema + "}]";
      CHECK(listed(tools, true, 1).empty());
      CHECK(listed(tools, false, 0).at(0).headers.empty());
    }
  }

  TEST_CASE("results have texts, structured content, attachments and limits") {
    const ResultLimits limits{.text = 1'000, .attached = 100, .attachments = 1};
    const auto read = [&](const std::string& json) { return read_result(json, limits); };
    CHECK(read(R"({"structuredContent": {"a": 1}})").text == R"({"a": 1})");
    CHECK(read(R"({"structuredContent": {"a": 1}})").is_json);
    CHECK_FALSE(read(R"({"content": [{"type": "text", "text": "one"}],
                         "structuredContent": 1})")
                    .is_json);
    CHECK(read(R"({"content": []})").text == "[the tool gave nothing]");
    CHECK(read(R"({"isError": true, "content": [{"type": "text", "text": "no"}]})").is_error);
    CHECK(read("nonsense").is_error);
    const std::string picture =
        R"({"type": "image", "mimeType": "image/png", "data": ")" + encode_base64("png") + "\"}";
    const ToolResult two = read(R"({"content": [)" + picture + "," + picture + "]}");
    CHECK(two.text ==
          "[image: image/png, 3 bytes, attached]\n[image: image/png, 3 bytes, left out]");
    CHECK(two.attach == std::vector<compile::Item>{{"png", "image/png"}});
    CHECK(read(R"({"content": [{"type": "image", "mimeType": "a\nb/c", "data": "cG5n"}]})")
              .attach.at(0)
              .media_type == "application/octet-stream");
    const ToolResult longer =
        read(R"({"content": [{"type": "text", "text": ")" + std::string(5'000, 'x') + "\"}]}");
    CHECK(longer.text.size() < 1'100);
    CHECK(longer.attach.at(0).media_type == "text/plain");
  }

  TEST_CASE("answers over HTTP are JSON or events, and anything else is an error") {
    const auto ask = [](llm::http::Exchange recorded) {
      llm::http::RecordedTransport transport({std::move(recorded)});
      const auto channel = make_http_channel({"http://localhost/mcp", {}}, transport, kDeaf);
      return channel->ask({"tools/list", "{}"}, Deadline({}, milliseconds(5'000)));
    };
    const std::string good = R"({"jsonrpc":"2.0","id":1,"result":{"a":1}})";
    CHECK(ask(exchange(200, good)).value().result == R"({"a":1})");
    const std::string stream =
        ": hi\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}"
        "\n\ndata: 7\n\ndata: " +
        good + "\n\n";
    CHECK(ask(exchange(200, stream, "text/event-stream; charset=utf-8")).value().result ==
          R"({"a":1})");
    CHECK(ask(exchange(400, R"({"id":null,"error":{"code":-32022,"message":"no"}})"))
              .value()
              .error->code == -32022);
    CHECK_FALSE(ask(exchange(200, R"({"id":2,"result":{}})")));
    CHECK_FALSE(ask(exchange(200, ": nothing\n\n", "text/event-stream")));
    CHECK(ask(exchange(403, "no")).error().code == Error::Code::denied);
    CHECK(ask(exchange(500, "oops")).error().hint == "oops");
  }
}

}  // namespace spoor::agent::mcp
