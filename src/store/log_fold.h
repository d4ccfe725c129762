#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/ref_log.h"
#include "store/store.h"

namespace spoor::store {

/// The operation log in two parts: what is past its retention, and what is within.
struct LogParts {
  std::uint64_t past = 0;       ///< the number of the last operation past the retention; 0: none
  std::uint64_t folds = 0;      ///< how many of those may become one checkpoint; 0: none need to
  std::vector<Oid> operations;  ///< names that the log still has or names when they did
  std::vector<Oid> needed;      ///< commits and tags that it then names
  Timestamp time;               ///< of the operation `past`
  Oid folded;                   ///< what the next `prev` names after it
  RefMap refs;                  ///< as of it
};

/// Parts the log of `store` by time. Code::corrupt when an operation is not what it should be.
Result<LogParts> part_log(const Store& store, Timestamp keep_since);

/// The checkpoint that stands for the operations that fold.
Result<LoggedOperation> checkpoint_of(const LogParts& parts, const std::string& actor);

}  // namespace spoor::store
