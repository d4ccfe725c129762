#include "api/commands/sql.h"

#include <array>

#include <fmt/format.h>

#include "api/commands/calls.h"
#include "api/commands/file_edits.h"
#include "api/commands/sessions.h"

namespace spoor::api {
namespace {

constexpr const char* kSummary = "Query sessions, calls, edits and costs with SQL";

constexpr std::array kParameters = {
    Parameter{"query", "QUERY", "one SELECT (default: list the tables)", 0, Takes::prose},
};

struct SpendingsQuery {
  template <class Visit>
  static void parameters(Visit&&) {}
};

/// The usage of one model by one session on one day.
struct SpendingRow {
  std::uint64_t number = 0;
  std::string session, project, agent;
  std::string day, model;
  std::uint64_t answers = 0;
  std::optional<std::uint64_t> input_tokens, cache_read_tokens, cache_write_tokens, output_tokens;
  std::optional<llm::Money> cost_usd;
  bool is_complete = true;

  template <class Visit>
  static void members(Visit&& visit) {
    visit("number", &SpendingRow::number, "the number of the session");
    visit("session", &SpendingRow::session, "the branch of the session");
    visit("project", &SpendingRow::project, "the folder it worked in");
    visit("agent", &SpendingRow::agent, "the agent");
    visit("day", &SpendingRow::day, "the day in UTC; empty if the source has no times");
    visit("model", &SpendingRow::model, "the model");
    visit("answers", &SpendingRow::answers, "answers of the model");
    visit("input_tokens", &SpendingRow::input_tokens, "tokens sent, without those from caches");
    visit("cache_read_tokens", &SpendingRow::cache_read_tokens, "tokens read from caches");
    visit("cache_write_tokens", &SpendingRow::cache_write_tokens, "tokens written to caches");
    visit("output_tokens", &SpendingRow::output_tokens, "tokens of answers, with their reasoning");
    visit("cost_usd", &SpendingRow::cost_usd, "US dollars, as stated or by list price");
    visit("is_complete", &SpendingRow::is_complete, "0 if an answer has no counts or no price");
  }
};

Result<void> list_spendings(Context& context, const SpendingsQuery&,
                            const Sink<SpendingRow>& sink) {
  for (const Session& session : TRY(list_sessions(context))) {
    for (const Spending& each : session.facts.spendings) {
      sink({.number = session.number,
            .session = session.name(),
            .project = session.facts.project,
            .agent = session.agent,
            .day = each.day,
            .model = each.model,
            .answers = each.answers,
            .input_tokens = each.input_tokens,
            .cache_read_tokens = each.cache_read_tokens,
            .cache_write_tokens = each.cache_write_tokens,
            .output_tokens = each.output_tokens,
            .cost_usd = each.cost_usd,
            .is_complete = each.is_complete});
    }
  }
  return {};
}

constexpr Listing<SpendingsQuery, SpendingRow> kSpendings{
    .name = "costs",
    .summary = "tokens and money by session, day and model",
    .rows = "costs",
    .group = Group::read,
    .run = list_spendings,
};

template <class T>
store::Cell cell_of(const T& value) {
  if constexpr (detail::is_optional<T>) {
    return value ? cell_of(*value) : store::Cell();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_same_v<T, llm::Money>) {
    constexpr double kNanos = 1e9;
    return static_cast<double>(value.nano_dollars) / kNanos;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, store::Oid>) {
    return value.hex();
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    return value.text();
  } else {  // A list: its JSON.
    JsonWriter json(true);
    serialize(json, value);
    return json.take_value();
  }
}

template <const auto& kListing>
store::QueryTable table_of(Context& context, const char* name) {
  using Query = typename detail::Erased<kListing>::Query;
  using Row = typename detail::Erased<kListing>::Row;
  store::QueryTable table{.name = name};
  Row::members([&](const char* column, auto, const char*) { table.columns.emplace_back(column); });
  table.read = [&context](const store::QueryTable::AddRow& add) {
    return kListing.run(context, Query(), [&](const Row& row) {
      std::vector<store::Cell> cells;
      Row::members(
          [&](const char*, auto member, const char*) { cells.push_back(cell_of(row.*member)); });
      add(std::move(cells));
      return true;
    });
  };
  return table;
}

template <const auto& kListing>
SqlTable described(const char* name, const char* help) {
  using Row = typename detail::Erased<kListing>::Row;
  SqlTable table{.name = name, .help = help};
  Row::members([&](const char* column, auto, const char* what) {
    table.columns.push_back({column, what});
  });
  return table;
}

void write_cell(JsonWriter& json, const store::Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    json.value(*integer);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    json.json(fmt::format("{}", *real));
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    json.value(*text);
  } else {
    json.null();
  }
}

Result<void> call(Context& context, const Arguments& arguments, Command::Form form,
                  const Command::Print& print) {
  const bool is_document = form != Command::Form::lines;
  JsonWriter json(form != Command::Form::document);
  std::vector<std::string> names;
  const store::QueryResult result{
      .columns = [&](const std::vector<std::string>& columns) { names = columns; },
      .row =
          [&](const std::vector<store::Cell>& row) {
            json.object();
            for (std::size_t i = 0; i < row.size(); ++i) {
              json.key(names[i]);
              write_cell(json, row[i]);
            }
            json.end();
            return print(is_document ? json.take_part() : json.take());
          },
  };
  if (is_document) json.object().list("rows");
  TRY(run_sql(context, arguments.text("query"), result, [] { return false; }));
  if (is_document) json.end().end();
  if (form == Command::Form::document) print(json.take());
  if (form == Command::Form::compact) print(json.take_value());
  return {};
}

// Returns a schema for any columns: they depend on the query.
std::string schema() {
  JsonWriter json;
  json.object().member("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.member("type", "object").key("properties").object().key("rows").object();
  json.member("type", "array").key("items").object().member("type", "object").end().end().end();
  json.list("required").value("rows").end().end();
  return json.take();
}

}  // namespace

std::vector<SqlTable> sql_tables() {
  return {described<kSessions>("sessions", "as 'spoor sessions' lists them"),
          described<kCalls>("calls", "as 'spoor calls' lists them"),
          described<kFile>("edits", "as 'spoor file' lists them, of all files"),
          described<kSpendings>("costs", kSpendings.summary)};
}

Result<void> run_sql(Context& context, std::string_view sql, const store::QueryResult& result,
                     const std::function<bool()>& is_cancelled) {
  const std::array tables = {table_of<kSessions>(context, "sessions"),
                             table_of<kCalls>(context, "calls"), table_of<kFile>(context, "edits"),
                             table_of<kSpendings>(context, "costs")};
  return store::query_tables(sql, tables, result, is_cancelled);
}

Command sql_command() { return {"sql", kSummary, Group::read, kParameters, call, schema}; }

}  // namespace spoor::api
