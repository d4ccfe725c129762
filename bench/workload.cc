#include "bench/workload.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spoor::bench {
namespace {

constexpr std::array<std::size_t, 10> kSizes = {40, 90, 160, 300, 500, 900, 1600, 2800, 5000, 9000};

constexpr std::array<std::string_view, 32> kWords = {
    "the",    "test",  "fails", "because", "parser", "reads",  "past",    "end",
    "of",     "line",  "src/",  "store",   "commit", "return", "if",      "value",
    "should", "check", "and",   "then",    "write",  "file",   "nothing", "else",
    "const",  "auto",  "error", "message", "prompt", "branch", "{",       "}\n"};

}  // namespace

std::vector<std::string> make_texts(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = kSizes[random() % kSizes.size()];
    std::string text = fmt::format("turn {}: ", i);
    while (text.size() < size) {
      text += kWords[random() % kWords.size()];
      text += random() % 12 == 0 ? '\n' : ' ';
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

ScratchFolder::ScratchFolder(bool durable) {
  const bool has_memory = !durable && access("/dev/shm", W_OK) == 0;
  std::string pattern = has_memory ? "/dev/shm/spoor-bench-XXXXXX"
                                   : std::filesystem::temp_directory_path() / "spoor-bench-XXXXXX";
  must(mkdtemp(pattern.data()) != nullptr, "no scratch folder");
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // A left-over scratch folder harms nobody.
  std::filesystem::remove_all(path_, ignored);
}

std::unique_ptr<Repository> make_store(const std::string& path,
                                       const std::vector<std::string>& texts) {
  auto repository = must(Repository::create(path));
  const Timestamp now = repository->clock().now();
  constexpr std::size_t kBatch = 1000;
  for (std::size_t from = 0; from < texts.size(); from += kBatch) {
    must(repository->transact("bench", OnConflict::fail, [&](Draft& draft) -> Result<void> {
      for (std::size_t i = from; i < std::min(from + kBatch, texts.size()); ++i) {
        Turn turn{.type = i % 2 == 0 ? Type::user : Type::assistant, .text = texts[i]};
        TRY(draft.append("refs/heads/main", graph::stamped(std::move(turn), "bench", now)));
      }
      return {};
    }));
  }
  return repository;
}

void must(bool ok, const std::string& what) {
  if (!ok) throw Failed(what);
}

namespace {

bool is_small = false;

}  // namespace

void be_small() { is_small = true; }

std::size_t sized(std::size_t full) { return is_small ? full / 50 : full; }

void must_be_sound(const Repository& repository) {
  const auto findings = must(repository.store().check());
  must(findings.empty(), findings.empty() ? "" : findings[0].subject + ": " + findings[0].problem);
}

std::uint64_t bytes_written() {
  std::FILE* file = std::fopen("/proc/self/io", "r");
  must(file != nullptr, "/proc/self/io cannot be read");
  unsigned long long read = 0;
  unsigned long long written = 0;
  const int fields = std::fscanf(file, "rchar: %llu\nwchar: %llu", &read, &written);
  std::fclose(file);
  must(fields == 2, "/proc/self/io has another form");
  return written;
}

namespace {

// Runs a command with its output thrown away; what it used.
rusage run(const std::vector<std::string>& command, bool with_errors) {
  std::vector<char*> arguments;
  for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = vfork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    if (!with_errors) dup2(null, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage used = {};
  wait4(child, &status, 0, &used);
  must(WIFEXITED(status) && WEXITSTATUS(status) == 0,
       fmt::format("{} failed", fmt::join(command, " ")));
  return used;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

double run_seconds(const std::vector<std::string>& command) {
  const auto start = std::chrono::steady_clock::now();
  run(command, true);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return wall.count();
}

double processor_seconds() {
  timespec time = {};
  must(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, "no clock of processor time");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void trust(const std::string& store) {
  run(std::vector<std::string>{SPOOR_PROGRAM, "--store", store, "store", "trust"}, true);
}

double run_processor_seconds(const std::vector<std::string>& command) {
  const rusage used = run(command, false);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

double make_git_history(const std::string& folder, const std::vector<std::string>& texts) {
  std::string stream;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    stream += fmt::format("blob\nmark :{}\ndata {}\n{}\n", 2 * i + 1, texts[i].size(), texts[i]);
    const std::string subject = texts[i].substr(0, texts[i].find('\n'));
    stream += fmt::format(
        "commit refs/heads/main\nmark :{}\ncommitter bench <bench@localhost> {} +0000\n"
        "data {}\n{}\n",
        2 * i + 2, 1700000000 + i, subject.size(), subject);
    if (i > 0) stream += fmt::format("from :{}\n", 2 * i);
    stream += fmt::format("M 100644 :{} turn.txt\n\n", 2 * i + 1);
  }
  run_seconds({"git", "init", "-q", "-b", "main", folder});
  const std::string file = folder + "/.git/stream";
  std::FILE* out = std::fopen(file.c_str(), "w");
  must(out != nullptr && std::fwrite(stream.data(), 1, stream.size(), out) == stream.size(),
       "the stream for git cannot be written");
  std::fclose(out);
  return run_seconds(
      {"sh", "-c", "exec git -C '" + folder + "' fast-import --quiet < '" + file + "'"});
}

std::vector<std::filesystem::path> real_sessions() {
  const std::filesystem::path data = SPOOR_SOURCE_DIR "/../shared/data";
  std::vector<std::filesystem::path> found;
  for (const char* set :
       {"claude-code-entire-cli", "claude-code-entirecontext", "codex-hk", "pi-mono"}) {
    if (std::filesystem::exists(data / set)) found.push_back(data / set);
  }
  return found;
}

double median(std::vector<double> values) {
  must(!values.empty(), "a median of nothing");
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace spoor::bench
