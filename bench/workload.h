#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/names.h"

namespace spoor::bench {

/// Turns with the sizes of a real coding session: most are short, a few are whole
/// files. About 2 kB on average, no two alike, the same in every run.
std::vector<std::string> make_texts(std::size_t count, std::uint64_t seed = 1);

/// Folders of real sessions, where they lie beside the source tree; else none.
std::vector<std::filesystem::path> real_sessions();

/// A folder in memory (tmpfs) where there is one, removed at the end. `durable`
/// asks for one on a disk instead.
class ScratchFolder {
 public:
  explicit ScratchFolder(bool durable = false);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A new store with one branch `main` that holds `texts`, user and assistant in turn.
std::unique_ptr<Repository> make_store(const std::string& path,
                                       const std::vector<std::string>& texts);

/// Makes this run a small one, which shows that every measurement works and measures nothing.
void be_small();

/// `full`, or a fiftieth of it in a small run.
std::size_t sized(std::size_t full);

/// Thrown by must(). The rest of the page is still measured.
class Failed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Failed when `result` is an error: a benchmark of a failure is none.
void must(bool ok, const std::string& what);
template <class T>
T must(Result<T> result) {
  must(result.has_value(), result ? "" : result.error().message);
  return std::move(result).value();
}
inline void must(Result<void> result) {
  must(result.has_value(), result ? "" : result.error().message);
}

/// Every store that was measured must be sound.
void must_be_sound(const Repository& repository);

/// Bytes that this process has handed to write calls, and its sync calls.
std::uint64_t bytes_written();
std::uint64_t sync_count();

/// Runs a command with its output thrown away; its wall time in seconds.
double run_seconds(const std::vector<std::string>& command);

/// Marks a store that this process made as the user's own, so that the program may write it.
void trust(const std::string& store);

/// Seconds of processor time, user and system: what work costs also where others use the machine.
/// Of this process so far, and of a command with its output thrown away.
double processor_seconds();
double run_processor_seconds(const std::vector<std::string>& command);

/// The same turns as a git repository, made by `git fast-import`; the seconds it took.
double make_git_history(const std::string& folder, const std::vector<std::string>& texts);

double median(std::vector<double> values);

}  // namespace spoor::bench
