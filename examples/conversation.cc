// A conversation, its reasoning, and the exact prompt at two points of it.
#include <spoor/spoor.h>

#include <cstdio>

int main(int count, char** arguments) {
  auto opened = spoor::Store::create(count > 1 ? arguments[1] : "conversation.spoor");
  if (!opened) return std::fprintf(stderr, "error: %s\n", opened.error().message.c_str()), 1;
  const spoor::Store store = *opened;
  spoor::Branch branch = store.branch("main");

  branch.system("You are terse.").value();
  const spoor::Id question = branch.user("Which file parses the flags?").value();
  branch.reasoning("Flags are parsed where argv is read; grep for it.").value();
  const spoor::ToolCall grep = {"call_1", "grep", R"({"pattern":"argv"})"};
  branch.assistant("", {grep}).value();
  branch.tool("src/cli/main.cc:12: int main(int argc, char** argv)", grep).value();
  const spoor::Id answer = branch.assistant("src/cli/main.cc.").value();
  branch.edit(question, "Which file parses the command line?").value();

  const spoor::Prompt now = branch.compile({.include_reasoning = true}).value();
  const spoor::Prompt then = store.compile(answer).value();
  std::printf("%zu messages now, %zu at the answer\n", now.messages().size(),
              then.messages().size());
  std::printf("%s\n", then.render(spoor::Format::openai_chat).c_str());
}
