// A program outside the repository that uses the installed library: writes two turns into a store
// file in the folder it is given, and reads them back; then lets an agent run.
#include <spoor/spoor.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = std::string(argv[1]) + "/consumer.spoor";
  for (const char* part : {"", "-wal", "-shm", "-lock"}) std::remove((path + part).c_str());

  auto repository = spoor::Repository::create(path);
  if (!repository) {
    std::fprintf(stderr, "%s\n", repository.error().message.c_str());
    return 1;
  }
  spoor::Branch branch = repository.value()->branch("main");
  if (!branch.user("where does it come from?") || !branch.assistant("from outside")) return 1;

  const spoor::Result<spoor::Prompt> prompt = branch.compile();
  if (!prompt) return 1;
  std::printf("%s\n", spoor::plain_text(prompt.value()).c_str());

  spoor::NoWaiting waiting;
  spoor::ScriptedProvider model({}, {{spoor::say("done")}}, waiting);
  spoor::AgentSession session(*repository.value(), "agent");
  const auto result = spoor::react("be done", {&model, "m", {}, {}}, session, {});
  return result && result.value().answer == "done" ? 0 : 1;
}
