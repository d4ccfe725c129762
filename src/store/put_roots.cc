#include "store/put_roots.h"

#include <unordered_set>

#include "store/references.h"

namespace spoor::store {

std::vector<Oid> put_roots(std::span<const NewObject> objects) {
  std::unordered_set<Oid> named;
  for (const NewObject& each : objects) {
    if (each.kind == Kind::blob) continue;
    const auto references = references_of(Object{each.kind, each.body});
    if (!references) continue;
    for (const Reference& reference : *references) named.insert(reference.oid);
  }
  std::vector<Oid> roots;
  for (const NewObject& each : objects) {
    if (!named.contains(each.oid)) roots.push_back(each.oid);
  }
  return roots;
}

}  // namespace spoor::store
