#pragma once

#include <string>

#include "store/store.h"

namespace spoor::testing {

/// All that a store holds, decoded: objects, refs and operations, one behind the other.
inline std::string all_stored(const store::Store& store) {
  std::string all;
  const auto scanned = store.scan([&](const store::StoredObject& stored) {
    all += stored.object.body + '\n';
    return true;
  });
  if (!scanned) return scanned.error().message;
  for (const store::Ref& ref : store.refs("").value()) all += ref.name + '\n';
  for (const store::LoggedOperation& operation : store.operations(0, 100'000).value()) {
    all += operation.body + '\n';
  }
  return all;
}

}  // namespace spoor::testing
