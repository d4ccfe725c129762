#pragma once

namespace spoor::store::postgres {

// Locks, by the number of the store. Writers share the first; what removes objects has it alone, so
// that the conditions of a change hold until it is done. With the second, one at a time numbers the
// operations.
constexpr auto kShare = "SELECT pg_advisory_xact_lock_shared(1936748399, $1::int4)";
constexpr auto kAlone = "SELECT pg_advisory_xact_lock(1936748399, $1::int4)";
constexpr auto kLock = "SELECT pg_advisory_lock(1936748399, $1::int4)";
constexpr auto kUnlock = "SELECT pg_advisory_unlock(1936748399, $1::int4)";
constexpr auto kNumbering = "SELECT pg_advisory_xact_lock(1936748400, $1::int4)";

// Gives the operations that came since the last time their numbers, in the order in which the
// server took them. A writer's row comes after all rows that were visible to it, whatever its clock
// says: of a ref, because it waited for the row of that ref first (kMove).
constexpr auto kNumber = R"(
  UPDATE spoor.operations o SET number = l.last + f.place
  FROM (SELECT coalesce(max(number), 0) AS last FROM spoor.operations WHERE store = $1) l,
       (SELECT ctid AS row, row_number() OVER (ORDER BY arrived) AS place
        FROM spoor.operations WHERE store = $1 AND number IS NULL) f
  WHERE o.ctid = f.row)";

}  // namespace spoor::store::postgres
