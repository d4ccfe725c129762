#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace spoor::store {

/// NULL, an integer, a number or a text.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// A table that is not stored: its rows are made once, when a query reads it.
struct QueryTable {
  using AddRow = std::function<void(std::vector<Cell>)>;

  std::string name;
  std::vector<std::string> columns;
  std::function<Result<void>(const AddRow&)> read;
};

/// Receives the names of a result's columns, then each row; returning false ends the query.
struct QueryResult {
  std::function<void(const std::vector<std::string>&)> columns;
  std::function<bool(const std::vector<Cell>&)> row;
};

/// Runs one SELECT in SQLite's dialect over the tables, and nothing else: statements that write,
/// attach files, set pragmas or load code are Code::denied, as are functions that access files.
/// Ends with Code::interrupted soon after `is_cancelled` returns true. Returns Code::invalid for a
/// statement that SQLite refuses, and the errors of reading the tables. Safe to call from any
/// thread.
Result<void> query_tables(std::string_view sql, std::span<const QueryTable> tables,
                          const QueryResult& result, const std::function<bool()>& is_cancelled);

}  // namespace spoor::store
