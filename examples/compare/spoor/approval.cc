// A refund that a person approves: `approval MODEL start` asks, `approval MODEL yes` goes on.
#include <spoor/json.h>
#include <cstdio>
#include <string_view>

struct Refund {
  std::string order;
  static void members(auto&& member) { member("order", &Refund::order, "its number"); }
};
std::string refund(const Refund& refund) { return "refunded order " + refund.order; }

int main(int, char** arguments) {
  const auto model = spoor::Model::open(arguments[1]).value();
  const std::string_view word = arguments[2];
  spoor::RunOptions options;
  options.tools = {spoor::typed_tool<Refund>("refund", "Refunds an order.", refund)};
  options.tools[0].needs_approval = true;
  if (word == "start") {
    auto branch = spoor::Store::create("approval.spoor")->branch("main");
    const auto run = branch.run("Refund order 7.", model, options).value();
    std::printf("%s %s?\n", run.waits_for.c_str(), run.waits_with.c_str());
  } else {
    auto branch = spoor::Store::open("approval.spoor")->branch("main");
    const auto run = branch.resume("latest", model, options, spoor::Approval{word == "yes"});
    std::printf("%s\n", run->answer.value_or(run->error).c_str());
  }
}
