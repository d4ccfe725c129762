#pragma once

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "graph/repository.h"
#include "guard/erase/erasure.h"
#include "guard/erase/text_forms.h"

namespace spoor::guard {

/// A turn at the end of `ref`.
inline store::Oid append(graph::Repository& repository, const compile::Turn& turn,
                         const std::string& ref = "refs/heads/main") {
  store::Oid made;
  const auto write = [&](graph::Draft& draft) -> Result<void> {
    made = TRY(draft.append(ref, turn));
    return {};
  };
  REQUIRE(repository.transact("test", graph::OnConflict::fail, write));
  return made;
}

/// Where an object is on the list; null where it is not.
inline const Occurrence* place_of(const ErasurePlan& plan, const store::Oid& object) {
  const auto found = std::find_if(plan.places.begin(), plan.places.end(),
                                  [&](const Occurrence& place) { return place.object == object; });
  return found == plan.places.end() ? nullptr : &*found;
}

/// Why it is there; empty where it is not.
inline std::string why(const ErasurePlan& plan, const store::Oid& object) {
  const Occurrence* place = place_of(plan, object);
  return place == nullptr ? "" : std::string(name_of(place->why));
}

}  // namespace spoor::guard
