// An agent that calls another: `agents MODEL HELPERS_MODEL`; then why, and what had been sent.
#include <spoor/spoor.h>
#include <cstdio>

int main(int, char** arguments) {
  const auto model = spoor::Model::open(arguments[1]).value();
  spoor::RunOptions options{.max_dollars = 0.25};
  options.agents = {{.id = "ask_historian",
                     .description = "Answers a question about history.",
                     .model = spoor::Model::open(arguments[2]).value(),
                     .options = {.instructions = "You know history. Answer with a year."}}};
  const auto store = spoor::Store::create("agents.spoor").value();
  const auto run = store.branch("main").run("How old is the Eiffel Tower?", model, options).value();
  const spoor::Step& call = run.steps.front();
  std::printf("%s ($%.4f)\n", run.answer.value_or(run.error).c_str(), run.dollars);
  std::printf("why: %s\n", call.why.c_str());
  std::printf("sent: %s\n", store.sent_request(call.answer)->c_str());
  std::printf("%s", store.debrief(call.started)->c_str());
}
