// The exit codes that texts of other agents tell.
#include "llm/source_exit_code.h"

#include <doctest/doctest.h>

#include <string>

using spoor::llm::read_source_exit_code;

namespace {

// -99: none is told.
std::int64_t code(std::string_view source, std::string_view text, bool is_error = false) {
  return read_source_exit_code(source, text, is_error).value_or(-99);
}

}  // namespace

TEST_SUITE("llm/source_exit_code") {
  TEST_CASE("Codex: in the lines before the output, or in the JSON that stands in their place") {
    const std::string head = "Chunk ID: 54ccd7\nWall time: 7.8 seconds\n";
    CHECK(code("codex", head + "Process exited with code 101\nOutput:\nx") == 101);
    CHECK(code("codex", head + "Process exited with code 0\nOutput:\n") == 0);
    CHECK(code("codex", "Exit code: 1\nWall time: 0 seconds\nOutput:\nx") == 1);
    CHECK(code("codex", R"({"output":"x","metadata":{"exit_code":2,"duration_seconds":0.1}})") ==
          2);
    const std::string script = "Script completed\nWall time 0.1 seconds\nOutput:\n";
    CHECK(code("codex", script + R"({"exit_code":101,"output":"error"})") == 101);
  }

  TEST_CASE("Codex: what a command printed is not read") {
    const std::string head = "Wall time: 7.8 seconds\n";
    CHECK(code("codex", head + "Output:\nProcess exited with code 1\n") == -99);
    CHECK(code("codex", head + "Process running with session ID 7\nOutput:\nExit code: 1") == -99);
    CHECK(code("codex", head + "Exit code: 1\nOutput:\n") == -99);
    CHECK(code("codex", head + "Output:\n{\"exit_code\":1,\"output\":\"\"}") == -99);
    CHECK(code("codex", "Exit code: one\nOutput:\n") == -99);
    CHECK(code("codex", "Exit code: 1 or so\nOutput:\n") == -99);
    CHECK(code("codex", R"({"output":"x","metadata":{"exit_code":"2"}})") == -99);
    CHECK(code("codex", R"({"exit_code":2})") == -99);
    CHECK(code("codex", R"({"exit_code":2)") == -99);
    CHECK(code("codex", "Script completed\nOutput:\n[1]") == -99);
    CHECK(code("codex", std::string(100, '\n') + "Process exited with code 1\n") == -99);
    CHECK(code("codex", "") == -99);
  }

  TEST_CASE("Gemini CLI and Qwen Code: in the lines behind the output") {
    const std::string behind = "Signal: 0\nBackground PIDs: (none)\nProcess Group PGID: 12346";
    for (const char* source : {"gemini-cli", "qwen-code"}) {
      const std::string whole = "Command: ls x\nDirectory: /tmp\nOutput: no x\nError: (none)\n";
      CHECK(code(source, whole + "Exit Code: 1\n" + behind) == 1);
      // Later versions say so of failures only: it may be what the command printed.
      CHECK(code(source, "Output: x\nExit Code: 2\nProcess Group PGID: 7") == 2);
      CHECK(code(source,
                 "<untrusted_context>\nOutput: x\nExit Code: 2\nProcess Group PGID: 7\n"
                 "</untrusted_context>") == 2);
      CHECK(code(source, "Output: x\nExit Code: 2") == -99);
      CHECK(code(source, whole + "Exit Code: (none)\n" + behind) == -99);
      CHECK(code(source, "Output: Exit Code: 3\nand more\n" + behind) == -99);
      CHECK(code(source, "Exit Code: 3") == -99);  // A file, for one.
    }
  }

  TEST_CASE("others") {
    CHECK(code("copilot", "no such file\n<exited with exit code 1>") == 1);
    CHECK(code("copilot", "<exited with exit code 0>\n") == 0);
    CHECK(code("copilot", "<exited with exit code 1>\nmore") == -99);
    CHECK(code("copilot", "no\n<shellId: 0 completed with exit code 1>") == 1);
    CHECK(code("copilot", "<detached command with shellId: 2 completed with exit code 7>") == 7);
    CHECK(code("copilot", "<job: 2 completed with exit code 7>") == -99);
    CHECK(code("hermes", R"({"output": "", "exit_code": 1, "error": null})") == 1);
    CHECK(code("hermes", R"({"content": "", "exit_code": 1})") == -99);
    const std::string times =
        "Created At: 2026-07-15T19:15:53Z\nCompleted At: 2026-07-15T19:17:32Z";
    CHECK(code("antigravity", times + "\n\n\t\tThe command failed with exit code: 7\n\tx") == 7);
    CHECK(code("antigravity", times + "\n\n\t\tThe command completed successfully.\n") == 0);
    CHECK(code("antigravity", "The command failed with exit code: 7") == -99);
    CHECK(code("claude-code", "Exit code 1\nno", true) == 1);
    CHECK(code("claude-code", "Exit code 7\nno") == -99);
    CHECK(code("pi", "Exit code 7\nno", true) == -99);
  }
}
