#pragma once

#include "store/postgres/connection.h"
#include "store/postgres/seals.h"

namespace spoor::store::postgres {

/// The hint of an error about columns that repeat what objects and operations say, and do not.
constexpr auto kRebuild = "run 'spoor store fsck'; 'spoor store rebuild' makes them anew";

/// Returns the name in a column. Code::corrupt if it is not one.
inline Result<Oid> oid_at(const Rows& rows, std::size_t row, int column) {
  const auto oid = rows.oid(row, column);
  if (!oid) return not_spoors("the name of an object");
  return *oid;
}

/// Returns a row of `objects`: its name, and a kind and a body in the columns from `column` on.
inline Result<StoredRow> row_at(const Rows& rows, std::size_t row, int oid, int column) {
  return StoredRow{TRY(oid_at(rows, row, oid)), rows.number(row, column),
                   rows.bytes(row, column + 1)};
}

}  // namespace spoor::store::postgres
