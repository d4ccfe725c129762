#pragma once

#include <span>
#include <vector>

#include "store/object.h"
#include "store/oid.h"

namespace spoor::store {

/// Those of `objects` that no other of them names: to keep these is to keep them all. Bytes that
/// are not of their kind name nothing.
std::vector<Oid> put_roots(std::span<const NewObject> objects);

}  // namespace spoor::store
