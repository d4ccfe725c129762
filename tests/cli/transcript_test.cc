// Replays tests/transcripts/*.txt byte for byte. A transcript is what a user types
// and sees: a line `$ command` (and `> more` lines that belong to it), then all the
// command prints, then `[exit N]` unless it is 0. Lines before the first command
// are a remark. Each transcript has an empty folder of its own and a clock that
// stands at 2026-11-21T20:00:00Z and moves a minute with each command.
//
// With SPOOR_UPDATE_TRANSCRIPTS=1 the files are written anew instead: read the diff.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

#include <doctest/doctest.h>

#include "base/timestamp.h"
#include "tests/cli/temporary_folder.h"
#include "tests/support/posix_only.h"

namespace {

namespace fs = std::filesystem;

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write_all(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Step {
  std::string command;   // What a shell is given.
  std::string typed;     // The same with its `$ ` and `> `.
  std::string expected;  // With the exit line.
};

struct Transcript {
  std::string remark;
  std::vector<Step> steps;
};

Transcript parse(const std::string& text) {
  Transcript transcript;
  std::istringstream lines(text);
  bool in_command = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("$ ")) {
      transcript.steps.push_back({line.substr(2) + "\n", line + "\n", {}});
      in_command = true;
    } else if (in_command && line.starts_with("> ")) {
      transcript.steps.back().command += line.substr(2) + "\n";
      transcript.steps.back().typed += line + "\n";
    } else if (transcript.steps.empty()) {
      transcript.remark += line + "\n";
    } else {
      in_command = false;
      transcript.steps.back().expected += line + "\n";
    }
  }
  return transcript;
}

// Runs commands in one folder, with nothing of the tester's own environment.
class Shell {
 public:
  explicit Shell(const char* program) {
    fs::create_directories(folder_.path + "/bin");
    fs::create_directories(folder_.path + "/home");
    fs::create_symlink(program, folder_.path + "/bin/spoor");
    fs::create_symlink(fs::path(SPOOR_SOURCE_DIR) / "examples/data", folder_.path + "/home/data");
  }

  std::string run(const std::string& command) {
    const std::string script = folder_.path + "/command";
    write_all(script, command);
    now_.micros += 60'000'000;
    const std::string line =
        "cd '" + folder_.path + "/home' && env -i HOME='" + folder_.path + "/home' PATH='" +
        folder_.path +
        "/bin:/usr/bin:/bin' LC_ALL=C.UTF-8 SPOOR_AUTHOR=ada SPOOR_NOW=" + now_.text() + " sh '" +
        script + "' 2>&1 </dev/null";
    std::FILE* pipe = ::popen(line.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    std::array<char, 4096> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      output.append(buffer.data(), count);
    }
    const int status = ::pclose(pipe);
    hide_folder(output);
    if (spoor::testing::kIsPosixOnly) hide_confinement(output);
    if (!output.empty() && output.back() != '\n') output += "\n[no line end]\n";
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    if (code != 0) output += "[exit " + std::to_string(code) + "]\n";
    return output;
  }

 private:
  // Nothing confines commands there, and the program says so.
  static void hide_confinement(std::string& output) {
    const std::size_t at = output.find("run_command is only confined by ");
    if (at != std::string::npos) output.erase(at, output.find('\n', at) + 1 - at);
  }

  // The one thing that differs from run to run.
  void hide_folder(std::string& output) const {
    const std::string home = folder_.path + "/home";
    for (std::size_t at = 0; (at = output.find(home, at)) != std::string::npos;) {
      output.replace(at, home.size(), "~");
    }
  }

  spoor::test::TemporaryFolder folder_;
  spoor::Timestamp now_{spoor::parse_rfc3339("2026-11-21T19:59:00Z").value()};
};

}  // namespace

TEST_SUITE("cli/transcripts") {
  TEST_CASE("every transcript replays byte for byte") {
    const char* program = std::getenv("SPOOR_PROGRAM");
    if (program == nullptr) {
      MESSAGE("skipped: SPOOR_PROGRAM names no program");
      return;
    }
    std::vector<fs::path> paths;
    for (const auto& entry :
         fs::directory_iterator(fs::path(SPOOR_SOURCE_DIR) / "tests/transcripts")) {
      if (entry.path().extension() == ".txt") paths.push_back(entry.path());
    }
    REQUIRE(!paths.empty());
    const bool update = std::getenv("SPOOR_UPDATE_TRANSCRIPTS") != nullptr;
    for (const fs::path& path : paths) {
      const Transcript transcript = parse(read_all(path));
      Shell shell(program);
      std::string written = transcript.remark;
      for (const Step& step : transcript.steps) {
        const std::string seen = shell.run(step.command);
        written += step.typed + seen;
        if (update) continue;
        INFO(path.filename().string() << ": " << step.command);
        CHECK(seen == step.expected);
      }
      if (update) write_all(path, written);
    }
  }
}
