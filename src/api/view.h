#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/oid.h"

namespace spoor::api {

/// Where one looks: at the present, which is HEAD and moves with it, or at an
/// earlier commit. Looking moves no branch and no HEAD; it ends with the session.
class View {
 public:
  struct Place {
    std::optional<store::Oid> commit;  ///< nothing: the present
    std::string branch = {};           ///< the branch one walks along; empty: whichever fits
  };

  bool is_present() const { return !now_.commit; }
  const Place& now() const { return now_; }

  /// Looks there, and remembers the place before for back().
  void jump(Place to) { before_.push_back(std::exchange(now_, std::move(to))); }

  /// A step along the same line: back() then leads to where the walk began.
  void step(const store::Oid& to) {
    if (is_present()) return jump({to, now_.branch});
    now_.commit = to;
  }

  /// To the place before the last jump; the present has none before it.
  void back() {
    if (before_.empty()) return;
    now_ = std::move(before_.back());
    before_.pop_back();
  }

  /// To the present, and forgets the way.
  void leave() {
    before_.clear();
    now_ = {};
  }

 private:
  Place now_;
  std::vector<Place> before_;
};

}  // namespace spoor::api
