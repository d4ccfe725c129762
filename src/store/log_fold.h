#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/ref_log.h"
#include "store/store.h"

namespace spoor::store {

/// The operation log in two parts: the operations past the retention and those within it.
struct LogParts {
  std::uint64_t past = 0;       ///< the number of the last operation past the retention; 0: none
  std::uint64_t folds = 0;      ///< how many of those can become one checkpoint; 0: none
  std::vector<Oid> operations;  ///< operations that the log still contains or names after folding
  std::vector<Oid> needed;      ///< commits and tags that the log then names
  Timestamp time;               ///< of operation `past`
  Oid folded;                   ///< the name in the `prev` of the operation after `past`
  RefMap refs;                  ///< as of operation `past`
};

/// Returns the commits and tags that an operation names.
std::vector<Oid> names_in(const Operation& operation);

/// Divides the log of `store` at the time `keep_since`. Code::corrupt if an operation is invalid.
Result<LogParts> part_log(const Store& store, Timestamp keep_since);

/// Returns the checkpoint that replaces the operations to fold.
Result<LoggedOperation> checkpoint_of(const LogParts& parts, const std::string& actor);

}  // namespace spoor::store
