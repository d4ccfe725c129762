#pragma once

#include <chrono>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace spoor::receive {

/// What comes together is written together: a part waits this long for more.
constexpr std::chrono::seconds kQuiet{2};

/// What comes again and again is read again each time: it waits this many times as long as the last
/// writing took.
constexpr int kShare = 20;

/// Counts, for each post that was taken from the spool, the parts of it that are not recorded yet.
class Posts {
 public:
  void open(const std::string& post, std::size_t parts) { open_[post].parts += parts; }

  /// Counts one part as recorded, or as one that cannot be.
  void close(const std::string& post, bool is_refused = false) {
    Open& open = open_[post];
    --open.parts;
    open.is_refused = open.is_refused || is_refused;
  }

  /// Returns the posts whose parts are all closed, and whether one was refused; forgets them.
  std::vector<std::pair<std::string, bool>> take_closed() {
    std::vector<std::pair<std::string, bool>> closed;
    for (auto each = open_.begin(); each != open_.end();) {
      const bool is_closed = each->second.parts == 0;
      if (is_closed) closed.emplace_back(each->first, each->second.is_refused);
      each = is_closed ? open_.erase(each) : std::next(each);
    }
    return closed;
  }

 private:
  struct Open {
    std::size_t parts = 0;
    bool is_refused = false;
  };
  std::map<std::string, Open> open_;
};

}  // namespace spoor::receive
