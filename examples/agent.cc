// An agent with a tool of its own; with ANTHROPIC_API_KEY, or a script that needs no key.
#include <spoor/json.h>

#include <cstdio>
#include <cstdlib>

struct Price {
  std::string thing;
  static void members(auto&& member) { member("thing", &Price::thing, "what to look up"); }
};

int main(int count, char** arguments) {
  const auto store = spoor::Store::create(count > 1 ? arguments[1] : "agent.spoor").value();
  const auto model =
      std::getenv("ANTHROPIC_API_KEY")
          ? spoor::Model::open("anthropic/claude-sonnet-5").value()
          : spoor::Model::scripted({R"({"action": "price_of",
 "action_input": {"thing": "tea tin"},
 "rationale": {"why": "three times what one costs", "refs": ["goal"]}})",
                                    R"({"action": "finish", "final_answer": "1305 cents"})"});

  spoor::RunOptions options;
  options.tools = {spoor::typed_tool<Price>("price_of", "What one of a thing costs, in cents.",
                                            [](const Price&) { return spoor::ToolResult{"435"}; })};
  options.native_calls = false;
  options.max_dollars = 0.25;
  const auto result = store.branch("main").run("What are three tea tins?", model, options).value();
  std::printf("%s: %s\n", result.stopped.c_str(), result.answer.value_or("").c_str());
  std::printf("%s", store.debrief(result.run).value().c_str());
}
