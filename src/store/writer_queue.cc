#include "store/writer_queue.h"

namespace spoor::store {

bool WriterQueue::lock(std::optional<std::chrono::milliseconds> patience) {
  const std::thread::id me = std::this_thread::get_id();
  std::unique_lock hold(mutex_);
  if (depth_ == 0 || owner_ == me) {
    owner_ = me;
    ++depth_;
    return true;
  }

  Waiter waiter{{}, me};
  const auto place = waiting_.insert(waiting_.end(), &waiter);
  const auto has_turn = [&waiter] { return waiter.has_turn; };
  if (!patience) {
    waiter.granted.wait(hold, has_turn);
  } else if (!waiter.granted.wait_for(hold, *patience, has_turn)) {
    waiting_.erase(place);
    return false;
  }
  return true;
}

void WriterQueue::unlock() {
  const std::scoped_lock hold(mutex_);
  if (--depth_ > 0) return;
  owner_ = {};
  if (waiting_.empty()) return;

  // Hands the lock to the next waiter directly, so a new caller cannot overtake it.
  Waiter& next = *waiting_.front();
  waiting_.pop_front();
  owner_ = next.thread;
  depth_ = 1;
  next.has_turn = true;
  next.granted.notify_one();
}

int WriterQueue::depth() const {
  const std::scoped_lock hold(mutex_);
  return owner_ == std::this_thread::get_id() ? depth_ : 0;
}

std::size_t WriterQueue::waiting() const {
  const std::scoped_lock hold(mutex_);
  return waiting_.size();
}

}  // namespace spoor::store
