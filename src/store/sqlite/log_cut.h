#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace spoor::store::sqlite {

/// What a store lacks of what was there.
struct LogCut {
  std::string problem;        ///< what its log is, for people: "was cut: 3 operations are missing"
  bool is_permitted = false;  ///< durability `normal` allows it where the power failed
};

/// Holds the log against the store's mark (mark.h) and against what its file says of itself
/// (at_rest.h). Nothing when it lacks nothing that these know. A mark that is missing or damaged
/// tells nothing. Not within a transaction. `path` is the store's, absolute.
Result<std::optional<LogCut>> find_log_cut(Connection& connection, const std::string& path);

/// All that is wrong with the log and its mark, read as bytes (wal.h), for fsck: under `log` and
/// `mark`. Not within a transaction.
Result<std::vector<Store::Finding>> check_log(Connection& connection, const std::string& path);

}  // namespace spoor::store::sqlite
