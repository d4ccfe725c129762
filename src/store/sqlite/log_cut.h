#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace spoor::store::sqlite {

/// A loss at the end of a store's log.
struct LogCut {
  std::string problem;  ///< the state of the log, for people: "was cut: 3 operations are missing"
  bool is_permitted = false;  ///< durability `normal` allows it after a power failure
};

/// Compares the log with the store's mark (mark.h) and the record in its file (at_rest.h). Nullopt
/// if neither shows a loss. A missing or damaged mark is ignored. Not within a transaction. `path`
/// is the store's, absolute.
Result<std::optional<LogCut>> find_log_cut(Connection& connection, const std::string& path);

/// Finds all errors in the log and its mark, read as bytes (wal.h), for fsck; the subjects are
/// `log` and `mark`. Not within a transaction.
Result<std::vector<Store::Finding>> check_log(Connection& connection, const std::string& path);

}  // namespace spoor::store::sqlite
