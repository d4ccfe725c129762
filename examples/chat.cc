// A chat whose every turn lands in the graph; ANTHROPIC_API_KEY, or a stand-in that needs none.
#include <spoor/spoor.h>

#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  const auto store = spoor::Repository::create(count > 1 ? arguments[1] : "chat.spoor").value();
  spoor::Branch branch = store->branch("main");
  const auto anthropic = spoor::find_profile("anthropic").value();

  spoor::http::CurlTransport network;
  const spoor::SystemClock clock;
  spoor::NoWaiting waiting;
  const char* key = std::getenv("ANTHROPIC_API_KEY");
  const auto secret = key ? spoor::make_key(key, "ANTHROPIC_API_KEY").value() : spoor::Key();
  spoor::HttpProvider claude(anthropic, secret, network, clock);
  spoor::ScriptedProvider stand_in(anthropic, {{spoor::say("Because of Rayleigh.")}}, waiting);

  spoor::Candidate model;
  model.provider = key ? static_cast<spoor::Provider*>(&claude) : &stand_in;
  model.model = "claude-sonnet-5";
  const auto answer = spoor::chat(branch, "Why is the sky blue?", model, {}).value();
  std::printf("%s\n", answer.reply.text().c_str());
  std::printf("%s\n", spoor::sent_prompt(*store, answer.commit).value().body.c_str());
}
