#include "store/sqlite/fork.h"

#include <array>

#include <pthread.h>
#include <sqlite3.h>

namespace spoor::store::sqlite {
namespace {

// In the order in which SQLite takes them one after another: it opens a database (OPEN), whose file
// (VFS1) may get a random name (PRNG), and looks up a file system for that (MAIN). What it
// allocates with comes last.
constexpr std::array kShared = {
    SQLITE_MUTEX_STATIC_OPEN, SQLITE_MUTEX_STATIC_VFS1, SQLITE_MUTEX_STATIC_VFS2,
    SQLITE_MUTEX_STATIC_VFS3, SQLITE_MUTEX_STATIC_PRNG, SQLITE_MUTEX_STATIC_MAIN,
    SQLITE_MUTEX_STATIC_APP1, SQLITE_MUTEX_STATIC_APP2, SQLITE_MUTEX_STATIC_APP3,
    SQLITE_MUTEX_STATIC_LRU,  SQLITE_MUTEX_STATIC_PMEM, SQLITE_MUTEX_STATIC_MEM,
};

extern "C" void hold_shared_locks() {
  for (const int each : kShared) sqlite3_mutex_enter(sqlite3_mutex_alloc(each));
}

extern "C" void release_shared_locks() {
  for (auto each = kShared.rbegin(); each != kShared.rend(); ++each) {
    sqlite3_mutex_leave(sqlite3_mutex_alloc(*each));
  }
}

}  // namespace

void keep_usable_after_fork() {
  static const int registered =
      ::pthread_atfork(hold_shared_locks, release_shared_locks, release_shared_locks);
  static_cast<void>(registered);
}

}  // namespace spoor::store::sqlite
