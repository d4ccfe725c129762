// spoor-fake-provider [PORT]: the tests' fake provider as a program, for clients in any language.
// Prints its address as one line and serves until standard input ends. It thinks a little, calls a
// tool when it is offered one, and answers when it has a result. GET /_requests on it says as JSON
// what came since the last time.
#include <cstdio>
#include <cstdlib>

#include "tests/llm/http/fake_provider.h"

namespace {

using spoor::testing::Talk;

bool holds(const std::string& body, const char* text) {
  return body.find(text) != std::string::npos;
}

Talk answer(spoor::llm::Wire, const std::string& body) {
  Talk talk{.thinking = "The weather is asked for.", .text = "It is 18 degrees in Paris."};
  const bool has_result = holds(body, "\"tool_result\"") || holds(body, "\"tool_call_id\"") ||
                          holds(body, "\"function_call_output\"");
  if (holds(body, "get_weather") && !has_result) {
    talk.text = "I look it up.";
    talk.call = {"call_1", "get_weather", R"({"city":"Paris"})"};
  }
  return talk;
}

}  // namespace

int main(int count, char** arguments) {
  spoor::testing::FakeProvider fake(spoor::testing::FakeProvider::Tls::none,
                                    count > 1 ? std::atoi(arguments[1]) : 0);
  fake.say(answer);
  fake.demand_key("sk-interop");
  std::printf("%s\n", fake.url().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}
