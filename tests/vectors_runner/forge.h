#pragma once

#include "store/reader.h"
#include "tests/support/backend.h"
#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

/// What to store so that `commit` says `to` in its `what` (`body`, `message`,
/// `metadata`, `parent`, `remove`) while every name stays: the forged object is
/// the smallest one that holds the field.
Result<testing::Forgery> forge(const store::Reader& reader, const std::string& what,
                               const store::Oid& commit, const Json& to);

}  // namespace spoor::vectors
