#include "store/writer_lock.h"

namespace spoor::store {

Result<WriterLock::Hold> WriterLock::take(const Waiting& waiting) {
  if (!queue_.lock(waiting.patience)) {
    return unavailable("another thread is writing to the store", "try again");
  }
  if (queue_.depth() == 1) {
    if (auto locked = file_.lock(waiting); !locked) {
      queue_.unlock();
      return std::move(locked).error();
    }
  }
  return Hold(*this);
}

void WriterLock::give_back() {
  if (queue_.depth() == 1) file_.unlock();
  queue_.unlock();
}

}  // namespace spoor::store
