// A program outside the repository that uses the installed library: writes two turns into a store
// file in the folder it is given, and reads them back; then lets an agent run.
#include <spoor/json.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = std::string(argv[1]) + "/consumer.spoor";
  for (const char* part : {"", "-wal", "-shm", "-lock"}) std::remove((path + part).c_str());

  const auto store = spoor::Store::create(path);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  spoor::Branch branch = store->branch("main");
  if (!branch.user("where does it come from?", {{"ticket", 7}})) return 1;
  if (!branch.assistant("from outside")) return 1;

  const spoor::Result<spoor::Prompt> prompt = branch.compile();
  if (!prompt) return 1;
  std::printf("%s\n", prompt->render(spoor::Format::text).c_str());

  const auto model = spoor::Model::scripted({"done"});
  const auto result = store->branch("agent").run("be done", model);
  return result && result->answer == "done" ? 0 : 1;
}
