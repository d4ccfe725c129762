// Any output of any command: what is read as a run of tests has a known runner and counts that are
// none below 0, and colours change nothing; an exit code that is read out of it stands there. The
// first line is the command.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "agent/builtin/test_run.h"
#include "llm/source_exit_code.h"

namespace {

using spoor::agent::builtin::read_test_run;
using spoor::agent::builtin::TestRun;

void require(bool claim) {
  if (!claim) std::abort();
}

void check(const TestRun& run) {
  constexpr std::array<std::string_view, 9> kRunners = {
      "ctest", "pytest", "unittest", "go", "cargo", "jest", "vitest", "doctest", "gtest"};
  require(std::find(kRunners.begin(), kRunners.end(), run.runner) != kRunners.end());
  require(run.unit == "tests" || run.unit == "packages");
  require(run.passed >= 0 && run.failed >= 0 && run.skipped >= 0);
}

void check_exit_code(std::string_view output) {
  for (const std::string_view source : {"claude-code", "codex", "gemini-cli", "qwen-code",
                                        "copilot", "hermes", "antigravity", "another"}) {
    const auto code = spoor::llm::read_source_exit_code(source, output, true);
    if (!code) continue;
    require(source != "another");
    const bool is_said = *code == 0 && source == "antigravity";  // In words.
    const std::string digits = std::to_string(*code < 0 ? 0 - static_cast<std::uint64_t>(*code)
                                                        : static_cast<std::uint64_t>(*code));
    require(is_said || output.find(digits) != std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::vector<std::string> argv = {std::string(text.substr(0, end))};
  const std::string_view output = text.substr(std::min(end + 1, text.size()));
  const auto run = read_test_run(argv, output);
  if (run) check(*run);
  check_exit_code(output);
  if (size > 500 || text.find('\x1b') != std::string_view::npos) return 0;

  std::string coloured;
  for (const char c : output) {
    if (c != '\n') coloured += "\x1b[1;31m";  // A line is then below the longest.
    coloured += c;
  }
  require(read_test_run(argv, coloured) == run);
  return 0;
}
