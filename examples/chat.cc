// A chat whose every turn is committed; with ANTHROPIC_API_KEY, or a script that needs no key.
#include <spoor/spoor.h>

#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  const auto store = spoor::Store::create(count > 1 ? arguments[1] : "chat.spoor").value();
  const auto model = std::getenv("ANTHROPIC_API_KEY")
                         ? spoor::Model::open("anthropic/claude-sonnet-5").value()
                         : spoor::Model::scripted({"Because of Rayleigh."});
  const auto answer = store.branch("main").chat("Why is the sky blue?", model).value();
  std::printf("%s\n", answer.text.c_str());
  std::printf("%s\n", store.sent_request(answer.commit).value().c_str());
}
