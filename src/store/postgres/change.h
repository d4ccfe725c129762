#pragma once

#include <optional>
#include <vector>

#include "store/postgres/connection.h"
#include "store/postgres/statement.h"
#include "store/ref_log.h"
#include "store/store.h"

namespace spoor::store::postgres {

struct Columns;
class Seals;

/// A transaction of a store as statements.
class Change {
 public:
  /// `next`: its operation, if it moves refs; `numbers`: how many operations each of these refs
  /// has; `seals`: those of a sealed store, prepared for its objects, else nullptr; `first`:
  /// conditions before all others. The transaction and the seals must outlive it.
  Change(std::int64_t store, const Transaction& transaction,
         const std::optional<RefLog::Next>& next, const std::vector<std::int64_t>& numbers,
         Seals* seals, std::vector<Statement> first);

  /// Makes the change, in one round trip without Transaction::more. Returns the number of objects
  /// erased. Nothing is written after an error, unless the connection is lost. Connection::state()
  /// then says if it was a condition (schema.h).
  Result<std::size_t> run(Connection& connection) const;

 private:
  Statement about(const char* text) const;
  void add_conditions(std::vector<Statement>& to) const;
  void add_moves(const RefLog::Next& next, const std::vector<std::int64_t>& numbers,
                 const Columns& objects);
  void add_puts(std::vector<Statement>& to, const std::vector<NewObject>& objects,
                const std::vector<Columns>& parts) const;
  Result<std::size_t> run_in_parts(Connection& connection) const;
  Result<void> put_parts(Connection& connection) const;
  void add_erasure(std::vector<Statement>& to) const;

  const std::int64_t store_;
  const Transaction& transaction_;
  Seals* const seals_;
  std::vector<Statement> conditions_;
  std::vector<Statement> moves_;
  std::vector<Statement> rest_;
};

}  // namespace spoor::store::postgres
