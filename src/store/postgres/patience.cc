#include "store/postgres/patience.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace spoor::store::postgres {

Patience once_noticed(Patience patience, bool& is_noticed) {
  if (!patience.notice) return patience;
  patience.notice = [notice = std::move(patience.notice), &is_noticed](const std::string& reason) {
    if (!std::exchange(is_noticed, true)) notice(reason);
  };
  return patience;
}

Result<void> Wait::pause(const Error& reason) {
  using std::chrono::milliseconds;
  constexpr milliseconds kLongest{500};
  constexpr milliseconds kStep{20};  // Between two questions whether it is cancelled.
  const auto now = Clock::now();
  if (now - begin_ >= patience_.longest) {
    if (patience_.longest.count() == 0) return reason;
    return unavailable(
        fmt::format("{} (waited for {})", reason.message,
                    std::chrono::duration_cast<std::chrono::seconds>(patience_.longest)),
        reason.hint);
  }
  const auto half = pause_ / 2;
  const auto end = now + half + milliseconds(random_() % (static_cast<unsigned>(half.count()) + 1));
  pause_ = std::min(2 * pause_, kLongest);
  while (Clock::now() < end) {
    if (patience_.is_cancelled && patience_.is_cancelled()) {
      return interrupted("the wait for the server was ended: " + reason.message);
    }
    if (!is_noticed_ && Clock::now() - begin_ >= Patience::kNotice) {
      if (patience_.notice) patience_.notice(reason.message);
      is_noticed_ = true;
    }
    std::this_thread::sleep_for(std::min<Clock::duration>(kStep, end - Clock::now()));
  }
  return {};
}

}  // namespace spoor::store::postgres
