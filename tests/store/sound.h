#pragma once

#include <doctest/doctest.h>

#include "store/fsck.h"

namespace spoor::store {

/// Checks that fsck finds nothing wrong in a store.
inline void check_is_sound(const Store& store) {
  const auto report = fsck(store).value();
  for (const auto& problem : report.problems) {
    FAIL_CHECK(problem.subject << ": " << problem.message);
  }
}

}  // namespace spoor::store
