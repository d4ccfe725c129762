#include "cli/agents/run_lock.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "store/sha256.h"

namespace spoor::cli {
namespace {

// Returns the byte of the file that represents a lockable thing: the first 56 bits of its hash.
off_t place_of(const std::string& what) {
  const store::Oid hash = store::sha256(what);
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < 7; ++i) place = place << 8U | hash.bytes[i];
  return static_cast<off_t>(place);
}

}  // namespace

// One file for a store, whichever path opened it.
RunLock::RunLock(const std::string& store_path) {
  std::error_code problem;
  const auto real = std::filesystem::weakly_canonical(store_path, problem);
  path_ = (problem ? store_path : real.string()) + "-runs";
}

// Returns false only if another holder has the lock. Other failures are ignored, since correctness
// does not depend on the lock.
bool RunLock::take(const std::string& what) {
  if (!file_) {
    file_ = os::LockedFile(Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)));
  }
  if (!file_) return true;
  using Lock = os::LockedFile;
  return file_.try_lock(Lock::Kind::write, place_of(what), 1) != Lock::Answer::taken;
}

Result<void> RunLock::take_branch(const std::string& name) {
  if (take("branch " + name)) return {};
  return conflict(fmt::format("an agent is running on the branch '{}'", name),
                  "wait for it, or use another branch: 'spoor switch --create NAME'");
}

Result<void> RunLock::take_run(const std::string& id) {
  if (take("run " + id)) return {};
  return conflict(fmt::format("the run {} is running in another process", id.substr(0, 8)),
                  "wait for it, or stop it with Ctrl-C; see 'spoor runs'");
}

Result<void> RunLock::take_dataset(const std::string& name, std::vector<std::string> models) {
  std::ranges::sort(models);  // Their order makes no other attempts.
  if (take(fmt::format("dataset {} of {}", name, fmt::join(models, " ")))) return {};
  return conflict(fmt::format("another process runs the data set '{}' on the same models", name),
                  "wait for it, or stop it with Ctrl-C");
}

}  // namespace spoor::cli
