#include <spoor/json.h>
#include <cstdio>
struct Price {
  std::string thing;
  static void members(auto&& member) { member("thing", &Price::thing, "what to look up"); }
};
std::string price_of(const Price& price) { return price.thing + ": 435 cents"; }
int main(int, char** arguments) {
  const auto tool = spoor::typed_tool<Price>("price_of", "What one of a thing costs.", price_of);
  const auto model = spoor::Model::open(arguments[1]).value();  // anthropic/claude-sonnet-5
  auto branch = spoor::Store::create("quickstart.spoor")->branch("main");
  auto run = branch.run("Price of 3 tea tins?", model, {.tools = {tool}, .max_dollars = 0.25});
  std::printf("%s ($%.4f)\n", run->answer.value_or(run->error).c_str(), run->dollars);
}
