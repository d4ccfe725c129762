#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/fsck.h"
#include "tests/store/world.h"

namespace spoor::store::sample {

/// One way to break a sound world that one rule alone can see.
struct Forgery {
  std::string what;
  Rule rule;
  /// The same rule in the verifier of docs/format.md; empty where that has none.
  std::string verifier_rule;
  /// Breaks the world and returns the subject of the problem.
  std::function<std::string(World&)> forge;
};

/// At least one forgery for every rule but `engine`, which each engine forges itself.
std::vector<Forgery> forgeries();

}  // namespace spoor::store::sample
