// Counts what the linker routes here instead of to libc: --wrap=fdatasync,fsync.
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "bench/workload.h"

namespace {
std::atomic<std::uint64_t> syncs{0};
}

extern "C" {
int __real_fdatasync(int file);
int __real_fsync(int file);

int __wrap_fdatasync(int file) {
  ++syncs;
  return __real_fdatasync(file);
}
int __wrap_fsync(int file) {
  ++syncs;
  return __real_fsync(file);
}
}

namespace spoor::bench {
std::uint64_t sync_count() { return syncs; }
}  // namespace spoor::bench
