#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/oid.h"

namespace spoor::api {

/// The commit being viewed: the present, which is HEAD and moves with it, or an earlier commit.
/// Moving the view moves no branch and no HEAD. The view ends with the session.
class View {
 public:
  struct Position {
    std::optional<store::Oid> commit;  ///< nullopt: the present
    std::string branch = {};           ///< the branch to walk along; empty: any that fits
  };

  bool is_present() const { return !now_.commit; }
  const Position& now() const { return now_; }

  /// Moves the view to `to` and remembers the place before it for back().
  void jump(Position to) { before_.push_back(std::exchange(now_, std::move(to))); }

  /// Moves the view along the same line: back() then returns to where the walk began.
  void step(const store::Oid& to) {
    if (is_present()) return jump({to, now_.branch});
    now_.commit = to;
  }

  /// Returns to the place before the last jump; does nothing if there is none.
  void back() {
    if (before_.empty()) return;
    now_ = std::move(before_.back());
    before_.pop_back();
  }

  /// Returns to the present and forgets the places before it.
  void leave() {
    before_.clear();
    now_ = {};
  }

 private:
  Position now_;
  std::vector<Position> before_;
};

}  // namespace spoor::api
