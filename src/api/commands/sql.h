#pragma once

#include "api/command.h"
#include "store/sqlite/table_query.h"

namespace spoor::api {

/// A column of a table for queries.
struct SqlColumn {
  std::string name, help;
};

/// A table for queries.
struct SqlTable {
  const char* name;
  const char* help;
  std::vector<SqlColumn> columns;
};

/// Returns the tables: sessions, calls, edits and costs, with the rows of the commands of these
/// names.
std::vector<SqlTable> sql_tables();

/// Runs one SELECT over the tables (store/sqlite/table_query.h has the errors).
Result<void> run_sql(Context& context, std::string_view sql, const store::QueryResult& result,
                     const std::function<bool()>& is_cancelled);

/// Returns the command `sql` for callers that know no types: each row is an object.
Command sql_command();

}  // namespace spoor::api
