// One property over all commands that read: of a store with one flipped bit they print what they
// print of a sound one, or end with an error.
#include <doctest/doctest.h>

#include <fcntl.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "store/sqlite/sqlite_store.h"
#include "tests/cli/program.h"
#include "tests/support/soak.h"

using spoor::test::Program;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;
using Files = std::map<std::string, std::string>;  // By what follows the store's name.

const std::array<std::string, 5> kSuffixes = {"", "-wal", "-mark", "-shm", "-lock"};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::vector<Words> kCommands = {
    {"status"},
    {"log"},
    {"log", "side", "--json"},
    {"log", "--all"},
    {"show", "HEAD"},
    {"show", "HEAD~3", "--json"},
    {"show", "main~20"},
    {"compile"},
    {"compile", "side", "--to", "openai"},
    {"pprint", "side~5"},
    {"diff", "main", "side"},
    {"blame"},
    {"oplog"},
    {"oplog", "--json"},
    {"prove", "main~20"},
    {"branch"},
    {"tag"},
    {"search", "turn 7"},
    {"stats"},
    {"stats", "--all", "--json"},
    {"versions", "HEAD~1"},
    {"reasoning"},
    {"why", "turn 11"},
    {"runs"},
    {"runs", "--json"},
    {"debrief"},
    {"report"},
    {"events"},
    {"replay"},
    {"audit"},
    {"audit", "--json"},
    {"events", "HEAD"},
    {"export", "--jsonl"},
    {"debrief", "side"},
    {"report", "main"},
    {"log", "main@{3}"},
    {"--at-op", "@{5}", "log"},
    {"config"},
};

const std::string kBatch =
    "{\"op\":\"status\"}\n"
    "{\"op\":\"log\"}\n"
    "{\"op\":\"operations\"}\n"
    "{\"op\":\"show\",\"rev\":\"HEAD~2\"}\n"
    "{\"op\":\"refs\"}\n"
    "{\"op\":\"status\"}\n"
    "{\"op\":\"operations\",\"after\":60}\n"
    "{\"op\":\"log\"}\n";

// A folder with a store in it, and a clock that begins at the same time for each round.
class Reading {
 public:
  Reading() { path_ = program_.folder.path + "/.spoor"; }

  Program& program() { return program_; }

  Files files() const {
    Files files;
    for (const std::string& suffix : kSuffixes) {
      if (fs::exists(path_ + suffix)) files[suffix] = bytes_of(path_ + suffix);
    }
    return files;
  }

  void put(const Files& files) {
    for (const std::string& suffix : kSuffixes) fs::remove(path_ + suffix);
    fs::remove(path_ + "-search");
    for (const auto& [suffix, bytes] : files) {
      std::ofstream(path_ + suffix, std::ios::binary) << bytes;
    }
    program_.clock.set(spoor::Timestamp{1'950'000'000'000'000});
  }

  std::vector<Program::Answer> read_all() {
    std::vector<Program::Answer> answers;
    for (const Words& words : kCommands) answers.push_back(program_(words));
    answers.push_back(program_({"batch"}, kBatch));
    return answers;
  }

 private:
  Program program_;
  std::string path_;
};

// Two runs, so that one of them could be told of in the other's place.
void make_runs(Program& program) {
  const std::string replies = program.folder.path + "/replies.jsonl";
  for (const std::string goal : {"not asked for", "a first goal", "another goal"}) {
    std::ofstream file(replies, std::ios::app);  // Which is read on from where the branch is.
    file << R"({"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1",)"
         << R"("type":"function","function":{"name":"list","arguments":"{}"}}]},)"
         << R"("finish_reason":"tool_calls"}]})"
         << "\n"
         << R"({"choices":[{"message":{"role":"assistant","content":"done: )" << goal
         << R"("},"finish_reason":"stop"}]})" << std::endl;
    fs::create_directories(program.folder.path + "/root");
    if (goal == "not asked for") continue;  // The branch has two answers already.
    const auto run = program({"run", goal, "--store", ".", "--model", "scripted/" + replies,
                              "--tools", "list", "--root", program.folder.path + "/root"});
    REQUIRE_MESSAGE(run.status == 0, run.err);
  }
}

// Enough that the refs have a snapshot and the table of names is in use.
void make_store(Program& program) {
  program.make_history();
  make_runs(program);
  program({"branch", "side"});
  program({"tag", "begin", "HEAD~2"});
  std::string lines;
  for (int i = 0; i < 160; ++i) {
    const std::string branch = i % 3 == 0 ? "side" : "main";
    lines += "{\"op\":\"user\",\"branch\":\"" + branch + "\",\"text\":\"turn " + std::to_string(i) +
             " of many words\"}\n";
  }
  program({"batch"}, lines);
  program({"think", "that will do"});
  REQUIRE(program({"checkpoint"}).status == 0);
}

// One bit that is not the one it was.
std::string flip(Files& files, const std::string& suffix, std::mt19937& random) {
  std::string& bytes = files.at(suffix);
  std::size_t at = random() % bytes.size();
  // Most of a page is nothing; what is there is of more interest.
  for (int i = 0; i < 40 && bytes[at] == '\0'; ++i) at = random() % bytes.size();
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
  return (suffix.empty() ? "file" : suffix) + " at " + std::to_string(at);
}

bool is_error_or_same(const std::string& line, const std::string& sound) {
  return line == sound || line.find("\"error\":{") != std::string::npos;
}

// Each answer of a batch is one of its own.
bool is_batch_right(const std::string& found, const std::string& sound) {
  std::istringstream lines(found);
  std::istringstream sound_lines(sound);
  std::string line;
  std::string sound_line;
  while (std::getline(sound_lines, sound_line)) {
    if (!std::getline(lines, line) || !is_error_or_same(line, sound_line)) return false;
  }
  return true;
}

struct Tally {
  int same = 0;
  int errors = 0;
  int wrong = 0;
};

void hold_against(const std::vector<Program::Answer>& sound,
                  const std::vector<Program::Answer>& found, const std::string& what,
                  Tally& tally) {
  for (std::size_t i = 0; i < sound.size(); ++i) {
    const bool is_batch = i == kCommands.size();
    CHECK_MESSAGE(found[i].status != 70, what << ": " << found[i].err);
    const bool is_right = is_batch && found[i].status == 0
                              ? is_batch_right(found[i].out, sound[i].out)
                              : found[i].status != 0 || found[i].out == sound[i].out;
    std::string command = "batch";
    if (!is_batch) {
      command.clear();
      for (const std::string& word : kCommands[i]) command += word + " ";
    }
    CHECK_MESSAGE(is_right, what << ": " << command << "\n" << found[i].out << found[i].err);
    if (!is_right) ++tally.wrong;
    ++(found[i].status != 0 ? tally.errors : tally.same);
  }
}

}  // namespace

TEST_SUITE("cli/damaged_store") {
  TEST_CASE(
      "of a store with a flipped bit, a command prints what is right, or ends with an error") {
    Reading reading;
    make_store(reading.program());
    const Files at_rest = reading.files();
    std::unique_ptr<spoor::store::SqliteStore> held =
        spoor::store::SqliteStore::open(reading.program().folder.path + "/.spoor").value();
    for (int i = 0; i < 6; ++i) reading.program()({"user", "a turn in the log"});
    reading.program()({"switch", "side"});
    const Files with_log = reading.files();  // As a process leaves it that is killed.
    held.reset();
    REQUIRE(at_rest.at("-wal").empty());
    REQUIRE_FALSE(with_log.at("-wal").empty());

    std::mt19937 random(spoor::testing::seeded(20));
    Tally tally;
    for (const Files* base : {&at_rest, &with_log}) {
      reading.put(*base);
      const auto sound = reading.read_all();
      for (std::size_t i = 0; i < sound.size(); ++i) {
        REQUIRE_MESSAGE(sound[i].status == 0, i << ": " << sound[i].err);
      }
      for (int i = 0; i < spoor::testing::rounds(30); ++i) {
        const auto kind = base == &at_rest ? random() % 10 : random() % 20;
        const std::string suffix = kind < 9    ? ""
                                   : kind < 10 ? "-mark"
                                   : kind < 18 ? "-wal"
                                               : "-shm";
        Files damaged = *base;
        const std::string what = flip(damaged, suffix, random);
        reading.put(damaged);
        hold_against(sound, reading.read_all(), what, tally);
      }
    }
    MESSAGE(tally.same << " answers were right, " << tally.errors << " were errors, " << tally.wrong
                       << " were wrong");
    CHECK(tally.errors > 0);
  }
}
