#include <chrono>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "agent/builtin/glob.h"
#include "agent/builtin/patch.h"
#include "tests/agent/builtin_stage.h"

namespace spoor::agent::builtin {
namespace {

using nlohmann::json;

// The text after a patch, or the error's message.
std::string patched(std::string_view text, std::string_view patch) {
  const auto result = apply_patch(text, patch);
  return result ? result->text : "error: " + result.error().message;
}

const Tool& named(const std::vector<Tool>& tools, const std::string& id) {
  for (const Tool& tool : tools) {
    if (tool.id == id) return tool;
  }
  throw std::logic_error("no such tool");
}

}  // namespace

TEST_SUITE("agent/more_tools") {
  TEST_CASE("a path matches by its names, and ** stands for any folders") {
    CHECK(matches_path("*.cc", "a.cc"));
    CHECK(matches_path("*.cc", "src/x/a.cc"));
    CHECK(matches_path("src/**/*.cc", "src/a.cc"));
    CHECK(matches_path("src/**/*.cc", "src/x/y/a.cc"));
    CHECK(matches_path("**", "src/x/a.cc"));
    CHECK(matches_path("./src/*.cc", "src/a.cc"));
    CHECK_FALSE(matches_path("src/*.cc", "src/x/a.cc"));
    CHECK_FALSE(matches_path("src/**/*.cc", "lib/a.cc"));
    CHECK_FALSE(matches_path("s?c/a.c", "src/a.cc"));
    CHECK(matches_path("s?c/a.c?", "src/a.cc"));
  }

  TEST_CASE("glob finds files, and leaves out what it must") {
    Stage stage;
    for (const char* path : {"a.cc", "src/b.cc", "src/x/c.cc", "src/x/c.h", ".git/d.cc"}) {
      stage.put(path, "x");
    }
    CHECK(stage.call("glob", {{"pattern", "*.cc"}}).text == "a.cc\nsrc/b.cc\nsrc/x/c.cc\n");
    CHECK(stage.call("glob", {{"pattern", "x/*"}, {"path", "src"}}).text ==
          "src/x/c.cc\nsrc/x/c.h\n");
    CHECK(stage.call("glob", {{"pattern", "*.py"}}).text == "[no file matches]");
    CHECK(stage.call("glob", {{"pattern", "*"}, {"path", "../outside"}}).is_error);
  }

  TEST_CASE("a patch is applied where its lines are") {
    const std::string text = "one\ntwo\nthree\nfour\n";
    CHECK(patched(text, "@@ -2,2 +2,2 @@\n two\n-three\n+3\n") == "one\ntwo\n3\nfour\n");
    CHECK(patched(text, "@@ -40,2 +2,2 @@\n two\n-three\n+3\n") == "one\ntwo\n3\nfour\n");
    CHECK(patched(text, "--- a/x\n+++ b/x\n@@\n-one\n@@\n four\n+five\n") ==
          "two\nthree\nfour\nfive\n");
    CHECK(patched(text, "@@ -0,0 +1 @@\n+zero\n") == "zero\n" + text);
    CHECK(patched("", "@@ -0,0 +1 @@\n+new\n") == "new\n");
    CHECK(apply_patch(text, "@@ -9,1 +9,1 @@\n-two\n+2\n").value().moved == 1);
  }

  TEST_CASE("a patch keeps line ends, and the lack of the last") {
    CHECK(patched("a\r\nb\r\n", "@@\n a\n-b\n+c\n") == "a\r\nc\r\n");
    CHECK(patched("a\nb", "@@\n a\n-b\n+c\n\\ No newline at end of file\n") == "a\nc");
    CHECK(patched("a\nb", "@@\n b\n+c\n") == "a\nb\nc");
  }

  TEST_CASE("a patch that is not clear is an error") {
    CHECK(patched("a\nb\na\n", "@@\n-a\n+c\n") == "error: hunk 1 fits at several lines: 1, 3");
    CHECK(patched("a\nb\na\n", "@@ -3 +3 @@\n-a\n+c\n") == "a\nb\nc\n");
    CHECK(patched("a\n", "@@\n-x\n+c\n") ==
          "error: hunk 1 does not fit: its lines are not in the file");
    CHECK(patched("a\nb\n", "@@\n-b\n@@\n-a\n") ==
          "error: hunk 2 does not fit: its lines are not in the file after the hunk before");
    CHECK(patched("a\n", "-a\n+b\n") == "error: the patch has no hunk");
    CHECK(patched("a\n", "@@\n?a\n").starts_with("error: the line '?a' of the patch"));
    CHECK(patched("a\n", "@@\n+b\n") == "error: hunk 1 only adds lines, and does not say where");
  }

  TEST_CASE("patch_file applies all hunks or none, and attaches the diff") {
    Stage stage;
    stage.put("a", "one\ntwo\n");
    const auto bad = stage.call("patch_file", {{"path", "a"}, {"patch", "@@\n-one\n@@\n-x\n"}});
    CHECK(bad.is_error);
    CHECK(stage.get("a") == "one\ntwo\n");
    const auto good = stage.call("patch_file", {{"path", "a"}, {"patch", "@@\n-one\n+1\n two\n"}});
    CHECK(good.text == "patched 'a': 1 hunk");
    CHECK(stage.get("a") == "1\ntwo\n");
    CHECK(good.facts.get(fact::artifact) == "file_edit");
    CHECK(good.attach.at(0).bytes.find("-one\n+1\n") != std::string::npos);
    stage.put(".git/config", "x\n");
    CHECK(stage.call("patch_file", {{"path", ".git/config"}, {"patch", "@@\n-x\n"}}).is_error);
    for (const char* names : {"--- a/b\n+++ b/b\n", "--- /dev/null\n+++ b/a\n"}) {
      CAPTURE(names);
      const std::string patch = std::string(names) + "@@\n+2\n";
      CHECK(stage.call("patch_file", {{"path", "a"}, {"patch", patch}}).text.find("is about") !=
            std::string::npos);
    }
    const std::string moved = "--- a/sub/a\t2026-01-01\n+++ b/sub/a\n@@\n+3\n 1\n";
    CHECK_FALSE(stage.call("patch_file", {{"path", "a"}, {"patch", moved}}).is_error);
  }

  TEST_CASE("a started program is read while it runs, and ended") {
    Stage stage;
    const auto base = open_base(stage.settings).value();
    const std::vector<std::string> names = {"start_command", "read_command", "stop_command"};
    const auto tools = make_tools(names, base).value();
    const auto call = [&](const std::string& id, const json& arguments) {
      return named(tools, id).run(arguments.dump(), {});
    };
    const json ticking = {{"argv", {"sh", "-c", "echo tick; sleep 60"}}};
    CHECK(call("start_command", ticking).text == "started; its id is 1");
    CHECK(call("read_command", {{"id", 1}, {"wait_s", 5}}).text == "running\ntick\n");
    CHECK(call("read_command", {{"id", 1}}).text == "running\n[it printed nothing more]");
    CHECK(call("stop_command", {{"id", 1}}).text.find("it was ended") != std::string::npos);
    CHECK(call("start_command", {{"argv", {"sh", "-c", "exit 3"}}}).text == "started; its id is 2");
    CHECK(call("read_command", {{"id", 2}, {"wait_s", 5}}).text.starts_with("exit code 3"));
    CHECK(call("read_command", {{"id", 7}}).is_error);
    CHECK(call("start_command", {{"argv", {"no-such-program"}}}).is_error);
  }

  TEST_CASE("started programs end with their tools, and only so many run") {
    Stage stage;
    const std::filesystem::path beats = stage.root() / "beats";
    {
      const auto base = open_base(stage.settings).value();
      const std::vector<std::string> names = {"start_command"};
      const auto tools = make_tools(names, base).value();
      const json script = {{"argv", {"sh", "-c", "while :; do echo x >> beats; sleep 0.1; done"}}};
      for (int i = 0; i < 8; ++i) CHECK_FALSE(tools[0].run(script.dump(), {}).is_error);
      CHECK(tools[0].run(script.dump(), {}).text.find("8 programs run already") !=
            std::string::npos);
      while (!std::filesystem::exists(beats)) std::this_thread::yield();
    }
    const auto size = std::filesystem::file_size(beats);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    CHECK(std::filesystem::file_size(beats) == size);
  }

  TEST_CASE("a command's output is told while it runs") {
    const Stage stage;
    std::string told;
    ToolContext context;
    context.output = [&](std::string_view text) { told += text; };
    stage.call("run_command", {{"argv", {"sh", "-c", "echo a; echo b >&2"}}}, context);
    CHECK(told == "a\nb\n");
  }
}

}  // namespace spoor::agent::builtin
