// spoor-interop-client URL WIRE stream|whole: holds the conversation of interop.mjs with our own
// client, the same way `generate` always does, and prints what the model said as one JSON object.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/timestamp.h"
#include "graph/repository.h"
#include "llm/client.h"
#include "llm/generate.h"
#include "llm/http/curl_transport.h"
#include "llm/tool_spec.h"

using namespace spoor;

namespace {

llm::Profile profile_at(std::string url, llm::Wire wire) {
  if (wire != llm::Wire::anthropic) url += "/v1";
  return {.name = "interop", .wire = wire, .base_url = std::move(url), .key_variable = "KEY"};
}

std::string weather_tool(llm::Wire wire) {
  const llm::ToolSpec tools[] = {
      {"get_weather", "The weather of a city.",
       R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})"}};
  return llm::tools_json(wire, tools).value();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const llm::Wire wire = llm::wire_from(arguments[2]).value();
  llm::http::CurlTransport transport;
  const spoor::SystemClock clock;
  llm::HttpProvider provider(profile_at(arguments[1], wire),
                             llm::make_key("sk-interop", "the test").value(), transport, clock);

  const auto repository = graph::Repository::in_memory();
  graph::Branch branch = repository->branch("main");
  branch.system("You are terse.").value();
  branch.user("What is the weather in Paris?").value();

  const llm::Candidate candidate{
      .provider = &provider,
      .model = "fake-1",
      .tools = weather_tool(wire),
      // More than this the official client takes for a stream alone.
      .params = wire == llm::Wire::anthropic ? R"({"max_tokens":8192})" : ""};
  llm::GenerateOptions options;
  options.stream = std::string_view(arguments[3]) == "stream";
  const llm::Generated first = llm::generate(branch, candidate, options).value();
  const compile::ToolCall call = first.reply.calls().at(0);
  branch.tool("18 degrees", call.id, call.name).value();
  const llm::Generated second = llm::generate(branch, candidate, options).value();

  const nlohmann::json said = {{"call", call.name},
                               {"arguments", call.arguments},
                               {"reasoning", first.reply.reasoning().value_or("")},
                               {"text", second.reply.text()},
                               {"output_tokens", second.reply.usage.output.value_or(0)}};
  std::printf("%s\n", said.dump().c_str());
}
