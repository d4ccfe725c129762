#pragma once

#include "store/store.h"
#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

/// Checks a whole store: every name, every link, every ref against the log.
/// `{ok, commits, orphans, bad}` as vectors compare it.
Result<Json> verify_store(const store::Store& store);

}  // namespace spoor::vectors
