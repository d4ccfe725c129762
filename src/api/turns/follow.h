#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/workspace.h"

namespace spoor::api {

/// The branches of a store as they move.
class Follow {
 public:
  /// Begins with where they are. `branch`: only this one, by its full name; empty: all.
  static Result<Follow> begin(const Workspace& workspace, std::string branch);

  /// A branch that has moved, and the turns that it has more, oldest first.
  struct Moved {
    std::string branch;  ///< its short name
    std::vector<Oid> turns;
  };

  /// Waits until something was written, or until `is_over`, which is asked after each look. Returns
  /// what has moved: nothing if it is over.
  Result<std::vector<Moved>> wait(const std::function<bool()>& is_over);

 private:
  Follow(const Workspace& workspace, std::string branch)
      : workspace_(workspace), branch_(std::move(branch)) {}

  Result<std::vector<Moved>> look();

  const Workspace& workspace_;
  const std::string branch_;
  std::map<std::string, Oid> tips_;
  bool has_begun_ = false;
  Oid operation_;  // The newest that was looked at.
};

}  // namespace spoor::api
