#include "graph/replacing_summary.h"

namespace spoor::graph {

using compile::Entry;

std::optional<Oid> replacing_summary(const State& state, const Oid& message) {
  std::optional<Oid> found;
  const Entry* entry = state.find(message);
  while (entry != nullptr && entry->is_compressed()) {
    found = entry->directives->compressed_by;
    entry = state.find(*found);
  }
  return found;
}

}  // namespace spoor::graph
