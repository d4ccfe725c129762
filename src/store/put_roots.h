#pragma once

#include <span>
#include <vector>

#include "store/object.h"
#include "store/oid.h"

namespace spoor::store {

/// Returns the objects that no other of `objects` names: keeping these keeps them all. Bytes that
/// are not of their kind name nothing.
std::vector<Oid> put_roots(std::span<const NewObject> objects);

}  // namespace spoor::store
