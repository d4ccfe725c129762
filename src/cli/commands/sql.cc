#include "api/commands/sql.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/listing.h"

namespace spoor::cli {
namespace {

constexpr std::array kExamples = {
    Example{"spoor sql", "the tables and their columns"},
    Example{"spoor sql 'SELECT tool, count(*) FROM calls GROUP BY tool ORDER BY 2 DESC'",
            "the tools that were called most"},
    Example{"spoor sql 'SELECT path, count(*) FROM edits GROUP BY path ORDER BY 2 DESC LIMIT 9'",
            "the files that were edited most"},
};

std::string shown(const store::Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{:.6g}", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return visible_line(*text);
  return "";
}

void list_tables(Output& out) {
  constexpr int kNameWidth = 18;
  bool is_first = true;
  for (const api::SqlTable& table : api::sql_tables()) {
    if (!is_first) out.newline();
    is_first = false;
    out.print(Style::strong, table.name).print(fmt::format("  {}\n", table.help));
    for (const api::SqlColumn& column : table.columns) {
      out.print("  ").print(Style::commit, padded(column.name, kNameWidth));
      out.print("  " + column.help).newline();
    }
  }
}

// A table of columns, each as wide as its widest cell.
class ResultTable {
 public:
  explicit ResultTable(Output& out) : out_(out) {}

  void begin(const std::vector<std::string>& columns) { add(columns); }

  void add(std::vector<std::string> row) {
    widths_.resize(std::max(widths_.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths_[i] = std::max(widths_[i], display_width(row[i]));
    }
    rows_.push_back(std::move(row));
  }

  void print() {
    for (std::size_t line = 0; line < rows_.size(); ++line) {
      std::string text;
      for (std::size_t i = 0; i < rows_[line].size(); ++i) {
        const bool is_last = i + 1 == rows_[line].size();
        text += is_last ? rows_[line][i] : padded(rows_[line][i], widths_[i]) + "  ";
      }
      if (out_.is_tty()) text = truncated(text, out_.width());
      out_.print(line == 0 ? Style::strong : Style::plain, text).newline();
    }
  }

 private:
  Output& out_;
  std::vector<int> widths_;
  std::vector<std::vector<std::string>> rows_;
};

constexpr std::array kOptions = {
    Option{"query", "QUERY", "one SELECT (default: list the tables)", 0, Takes::prose},
    kJson,
    kStream,
};

Result<void> run(Session& session, const Arguments& arguments) {
  if (!arguments.has("query")) {
    list_tables(session.out());
    return {};
  }
  const Cancellable cancellable;
  if (arguments.has("--json") || arguments.has("--stream")) {
    return print_rows(session, *api::find_command("sql"), arguments);
  }
  api::Context context = TRY(session.context());
  ResultTable table(session.out());
  const store::QueryResult result{
      .columns = [&](const std::vector<std::string>& columns) { table.begin(columns); },
      .row =
          [&](const std::vector<store::Cell>& row) {
            std::vector<std::string> cells;
            cells.reserve(row.size());
            for (const store::Cell& cell : row) cells.push_back(shown(cell));
            table.add(std::move(cells));
            return !session.out().is_closed();
          },
  };
  TRY(api::run_sql(context, arguments.text("query"), result, is_output_cancelled));
  table.print();
  return {};
}

}  // namespace

extern const Command kSql{
    .name = "sql",
    .summary = "Query sessions, calls, edits and costs with SQL",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "Runs one SQLite SELECT over tables that contain what 'sessions', 'calls', 'file'\n"
        "and 'cost' list. It cannot write and cannot reach files.",
    .examples = kExamples,
};

}  // namespace spoor::cli
