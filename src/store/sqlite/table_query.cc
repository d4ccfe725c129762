#include "store/sqlite/table_query.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>

#include <fmt/format.h>

namespace spoor::store {
namespace {

/// The rows of a table, after a query has read it.
struct Source {
  const QueryTable* table = nullptr;
  std::vector<std::vector<Cell>> rows;
  bool is_read = false;
  std::optional<Error> error;
  bool* is_declaring = nullptr;  ///< the columns of a table are being declared
};

// SQLite's objects for a table and a scan of it (https://www.sqlite.org/vtab.html). The base comes
// first, so pointers to it are pointers to these.
struct Table {
  sqlite3_vtab base;
  Source* source;
};
struct Cursor {
  sqlite3_vtab_cursor base;
  std::size_t at;
};

Source& source_of(sqlite3_vtab_cursor* cursor) {
  return *reinterpret_cast<Table*>(cursor->pVtab)->source;
}

std::size_t& place_of(sqlite3_vtab_cursor* cursor) { return reinterpret_cast<Cursor*>(cursor)->at; }

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

// Runs `body` and catches exceptions: none may pass through SQLite.
template <class Body>
int guarded(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

int connect(sqlite3* database, void* source, int, const char* const*, sqlite3_vtab** made, char**) {
  return guarded([&] {
    const QueryTable& table = *static_cast<Source*>(source)->table;
    bool& is_declaring = *static_cast<Source*>(source)->is_declaring;
    std::string columns;
    for (const std::string& column : table.columns) {
      columns += (columns.empty() ? "" : ", ") + quoted(column);
    }
    is_declaring = true;  // A CREATE TABLE that only declares.
    const int status = sqlite3_declare_vtab(
        database, fmt::format("CREATE TABLE {}({})", quoted(table.name), columns).c_str());
    is_declaring = false;
    if (status != SQLITE_OK) return status;
    *made = &(new Table{{}, static_cast<Source*>(source)})->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<Table*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab*, sqlite3_index_info*) { return SQLITE_OK; }

int open(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  return guarded([&] {
    *made = &(new Cursor{{}, 0})->base;
    return SQLITE_OK;
  });
}

int close(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  return guarded([&] {
    Source& source = source_of(cursor);
    place_of(cursor) = 0;
    if (source.is_read) return SQLITE_OK;
    const auto done =
        source.table->read([&](std::vector<Cell> row) { source.rows.push_back(std::move(row)); });
    source.is_read = true;
    if (!done) source.error = done.error();
    return done ? SQLITE_OK : SQLITE_ERROR;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  ++place_of(cursor);
  return SQLITE_OK;
}

int is_at_end(sqlite3_vtab_cursor* cursor) {
  return place_of(cursor) >= source_of(cursor).rows.size() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
  const Cell& cell = source_of(cursor).rows[place_of(cursor)][static_cast<std::size_t>(number)];
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    sqlite3_result_int64(context, *integer);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    sqlite3_result_double(context, *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    sqlite3_result_text64(context, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  } else {
    sqlite3_result_null(context);
  }
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(place_of(cursor)) + 1;
  return SQLITE_OK;
}

// Returns the module. Without xCreate its table exists under the module's name, and cannot be
// created or dropped.
const sqlite3_module& module() {
  static const sqlite3_module kModule = [] {
    sqlite3_module all{};
    all.xConnect = connect;
    all.xBestIndex = best_index;
    all.xDisconnect = disconnect;
    all.xOpen = open;
    all.xClose = close;
    all.xFilter = filter;
    all.xNext = next;
    all.xEof = is_at_end;
    all.xColumn = column;
    all.xRowid = row_id;
    return all;
  }();
  return kModule;
}

int authorize(void* is_declaring, int action, const char*, const char* function, const char*,
              const char*) {
  constexpr std::array<std::string_view, 5> kDenied = {"load_extension", "readfile", "writefile",
                                                       "edit", "fts3_tokenizer"};
  if (*static_cast<const bool*>(is_declaring)) return SQLITE_OK;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return std::ranges::find(kDenied, std::string_view(function)) == kDenied.end() ? SQLITE_OK
                                                                                     : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

int is_interrupted(void* asked) {
  const auto& is_cancelled = *static_cast<const std::function<bool()>*>(asked);
  return is_cancelled && is_cancelled() ? 1 : 0;
}

struct Closing {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Closing>;
using Statement = std::unique_ptr<sqlite3_stmt, Closing>;

Error error_of(sqlite3* database, int status, std::span<const Source> sources) {
  for (const Source& source : sources) {
    if (source.error) return *source.error;
  }
  if (status == SQLITE_INTERRUPT) return interrupted("interrupted");
  const std::string message = sqlite3_errmsg(database);
  if (status == SQLITE_AUTH) {
    return denied(fmt::format("cannot run this statement: {}", message),
                  "a query is one SELECT over the tables that 'spoor sql' lists");
  }
  return invalid(fmt::format("cannot run this query: {}", message),
                 "'spoor sql' lists the tables and their columns");
}

Cell cell_of(sqlite3_stmt* statement, int number) {
  switch (sqlite3_column_type(statement, number)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, number)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, number);
    case SQLITE_NULL:
      return {};
    default: {
      const void* bytes = sqlite3_column_blob(statement, number);
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, number));
      return size == 0 ? std::string() : std::string(static_cast<const char*>(bytes), size);
    }
  }
}

Error not_a_query() {
  return invalid("a query is one SELECT statement", "'spoor sql' lists the tables");
}

Result<Statement> prepare(sqlite3* database, std::string_view sql,
                          std::span<const Source> sources) {
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  const int status =
      sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &made, &rest);
  Statement statement(made);
  if (status != SQLITE_OK) return error_of(database, status, sources);
  const std::string_view more(rest, static_cast<std::size_t>(sql.data() + sql.size() - rest));
  if (!statement || more.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    return not_a_query();
  }
  return statement;
}

}  // namespace

Result<void> query_tables(std::string_view sql, std::span<const QueryTable> tables,
                          const QueryResult& result, const std::function<bool()>& is_cancelled) {
  constexpr int kMostSql = 1 << 20;
  constexpr int kInstructionsBetweenLooks = 10'000;
  if (sql.size() > kMostSql) return invalid("a query has at most 1 MiB");
  bool is_declaring = false;
  std::vector<Source> sources(tables.size());  // Must outlive the database.
  sqlite3* opened = nullptr;
  const int status =
      sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nullptr);
  const Database database(opened);
  if (status != SQLITE_OK) return io_error("cannot open a database in memory");
  sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 256 << 20);
  sqlite3_progress_handler(opened, kInstructionsBetweenLooks, is_interrupted,
                           const_cast<std::function<bool()>*>(&is_cancelled));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    sources[i].table = &tables[i];
    sources[i].is_declaring = &is_declaring;
    sqlite3_create_module_v2(opened, tables[i].name.c_str(), &module(), &sources[i], nullptr);
  }
  sqlite3_set_authorizer(opened, authorize, &is_declaring);

  const Statement statement = TRY(prepare(opened, sql, sources));
  const int count = sqlite3_column_count(statement.get());
  if (count == 0) return not_a_query();
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) names.emplace_back(sqlite3_column_name(statement.get(), i));
  result.columns(names);
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(statement.get())) == SQLITE_ROW) {
    std::vector<Cell> row;
    row.reserve(names.size());
    for (int i = 0; i < count; ++i) row.push_back(cell_of(statement.get(), i));
    if (!result.row(row)) return {};
  }
  if (step != SQLITE_DONE) return error_of(opened, step, sources);
  return {};
}

}  // namespace spoor::store
