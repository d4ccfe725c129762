#include "receive/repeated_request.h"

#include "base/json/writer.h"
#include "receive/events.h"
#include "receive/otlp.h"

namespace spoor::receive {
namespace {

constexpr std::string_view kGeminiCli = "gemini-cli";

std::string text_of(const json::Value& span, std::string_view attribute) {
  return attribute_of(span, attribute).text();
}

bool has_json(const json::Value& span, std::string_view attribute) {
  const std::string text = text_of(span, attribute);
  return json::parse(text).has_value();
}

// The body of a request: the API's own contents and tools, and the text of the system prompt.
std::string request_of(const json::Value& span) {
  json::Object request;
  request.add_json("contents", text_of(span, "gen_ai.input.messages"));
  const std::string system = text_of(span, "gen_ai.system_instructions");
  const auto parsed = json::parse(system);
  if (parsed && parsed->root().is_string()) {
    request.add_json("systemInstruction", R"({"parts":[{"text":)" + system + "}]}");
  } else if (parsed) {
    request.add_json("systemInstruction", system);
  }
  const std::string tools = text_of(span, "gen_ai.tool.definitions");
  if (json::parse(tools)) request.add_json("tools", tools);
  return request.write();
}

// A response as the API sends it: whole, or in the pieces of a stream.
std::string response_of(const json::Value& span) {
  const std::string output = text_of(span, "gen_ai.output.messages");
  const auto parsed = json::parse(output);
  if (!parsed) return {};
  const auto piece = [](const json::Value& content) {
    return R"({"candidates":[{"content":)" + std::string(content.raw()) + "}]}";
  };
  if (!parsed->root().is_array()) return piece(parsed->root());
  std::vector<std::string> pieces;
  for (const json::Value& content : parsed->root().elements()) pieces.push_back(piece(content));
  return json::write_array(pieces);
}

}  // namespace

bool is_agent_scope(const json::Value& scope) { return scope.find("name").equals(kGeminiCli); }

bool repeats_request(const json::Value& span) {
  return attribute_of(span, "gen_ai.agent.name").equals(kGeminiCli) &&
         attribute_of(span, "gen_ai.operation.name").equals("llm_call") &&
         has_json(span, "gen_ai.input.messages") && has_json(span, "gen_ai.output.messages");
}

proxy::Exchange exchange_of(const json::Value& span) {
  proxy::Exchange exchange{
      .agent = std::string(kGeminiCli),
      .method = "POST",
      .target = "/v1beta/models/" + text_of(span, "gen_ai.request.model") + ":generateContent",
      .status = 200,
      .response_headers = {{"content-type", "application/json"}},
      .is_copy = true};
  exchange.request = request_of(span);
  exchange.response = response_of(span);
  const auto begun = moment_of(span.find("startTimeUnixNano"));
  const auto end = moment_of(span.find("endTimeUnixNano"));
  if (begun) exchange.begun = *begun;
  if (begun && end) exchange.end = end->micros - begun->micros;
  return exchange;
}

}  // namespace spoor::receive
