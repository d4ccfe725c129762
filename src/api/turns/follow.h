#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/workspace.h"

namespace spoor::api {

/// The branches of a store as they move.
class Follow {
 public:
  /// The moves that are told: those that add turns, or also those that mark turns or go back.
  enum class Moves : std::uint8_t { with_turns, all };

  /// Begins with where they are. `branch`: only this one, by its full name; empty: all.
  static Result<Follow> begin(const Workspace& workspace, std::string branch,
                              Moves moves = Moves::with_turns);

  /// A branch that has moved, and the turns that it has more, oldest first.
  struct Moved {
    std::string branch;  ///< its short name
    Oid tip;
    std::vector<Oid> turns;
  };

  /// Waits until something was written, or until `is_over`, which is asked after each look. Returns
  /// what has moved: nothing if it is over.
  Result<std::vector<Moved>> wait(const std::function<bool()>& is_over);

 private:
  Follow(const Workspace& workspace, std::string branch, Moves moves)
      : workspace_(workspace), branch_(std::move(branch)), moves_(moves) {}

  Result<std::vector<Moved>> look();

  const Workspace& workspace_;
  const std::string branch_;
  const Moves moves_;
  std::map<std::string, Oid> tips_;
  bool has_begun_ = false;
  Oid operation_;  // The newest that was looked at.
};

}  // namespace spoor::api
