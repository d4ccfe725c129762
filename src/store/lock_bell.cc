#include "store/lock_bell.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <thread>

#include "base/os/bell.h"

namespace spoor::store {
namespace {

using Word = std::atomic_ref<std::uint32_t>;
static_assert(Word::is_always_lock_free);

}  // namespace

LockBell::~LockBell() {
  if (counters_ != nullptr) munmap(counters_, sizeof(Counters));
}

void LockBell::hang(int file) {
  struct stat found {};
  if (fstat(file, &found) != 0) return;
  if (found.st_size < static_cast<off_t>(sizeof(Counters))) {
    // Writes the bytes instead of only extending the file: on a full disk this write fails, rather
    // than a later access to the mapping.
    constexpr std::uint32_t kNone[2] = {};
    if (pwrite(file, kNone, sizeof kNone, offsetof(Counters, rings)) != sizeof kNone) return;
  }
  void* map = mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (map != MAP_FAILED) counters_ = static_cast<Counters*>(map);
}

std::uint32_t LockBell::rings() const {
  return counters_ == nullptr ? 0 : Word(counters_->rings).load();
}

void LockBell::wait(std::uint32_t rings, std::uint32_t who, std::chrono::nanoseconds most) {
  if (counters_ == nullptr) return std::this_thread::sleep_for(most);
  Word(counters_->waiting).fetch_add(1);
  // The caller checks the lock again in every case: woken, timed out, interrupted, or rung
  // meanwhile.
  os::wait_at(counters_->rings, rings, who, most);
  Word(counters_->waiting).fetch_sub(1);
}

void LockBell::ring(std::uint32_t whom) {
  if (counters_ == nullptr) return;
  Word(counters_->rings).fetch_add(1);
  if (Word(counters_->waiting).load() == 0) return;
  os::wake(counters_->rings, whom);
}

}  // namespace spoor::store
