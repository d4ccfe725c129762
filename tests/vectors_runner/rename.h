#pragma once

#include "tests/vectors_runner/format.h"

namespace spoor::vectors {

/// The same vector with every binding under another name: a driver that knew a
/// name would be found out.
Vector renamed(const Vector& vector);

}  // namespace spoor::vectors
