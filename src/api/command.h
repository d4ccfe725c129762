#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/arguments.h"
#include "api/members.h"
#include "api/parameter.h"
#include "api/workspace.h"
#include "base/when.h"
#include "llm/price.h"

namespace spoor::api {

/// The workspace, prices, time and folder that commands work on. All of it must outlive the call.
struct Context {
  Workspace& workspace;
  const llm::PriceList& prices;
  std::string prices_id;  ///< differs for different prices
  Timestamp now;
  std::string folder;  ///< the working folder, absolute; may be empty
};

/// Takes one row of a listing; false ends the listing.
template <class Row>
using Sink = std::function<bool(const Row&)>;

/// A command that lists rows: its name, what it takes, and a function from typed parameters to
/// typed rows. `Query` lists its parameters as a Described type lists its members:
///
///     visit(Parameter{"--agent", "NAME", "sessions of this agent"}, &Query::agent);
///
/// The shell, help, man pages, completion, the interactive session, `--json` and `spoor batch`
/// read this one definition.
template <class QueryType, class RowType>
struct Listing {
  using Query = QueryType;
  using Row = RowType;

  const char* name;
  const char* summary;  ///< one sentence without a full stop
  const char* rows;     ///< the member of the JSON document that holds the rows
  Group group;
  const char* details = "";
  std::span<const Example> examples = {};
  Result<void> (*run)(Context&, const Query&, const Sink<Row>&) = nullptr;
};

/// A command for callers that know no types: a name, parameters as text, a result as JSON.
struct Command {
  const char* name;
  const char* summary;
  Group group;
  std::span<const Parameter> parameters;

  /// How a result is printed.
  enum class Form {
    document,  ///< indented, with a line end
    compact,   ///< a document on one line, without a line end
    lines,     ///< one row a line
  };
  /// Takes the next part of the text; false ends the command.
  using Print = std::function<bool(std::string_view)>;
  Result<void> (*call)(Context&, const Arguments&, Form form, const Print& print);

  /// Returns the JSON Schema of the document.
  std::string (*schema)();
};

/// Returns all commands, in the order of `spoor help`.
std::span<const Command> commands();

/// Returns the command of this name, or null.
const Command* find_command(std::string_view name);

/// Reads the members of a JSON object as values of the parameters with the same names, where `_`
/// stands for `-`, and `rev` for `revision`. Returns Code::invalid if a member is not a parameter
/// or has another type, and if a required one is missing. Ignores the members `op`, `id` and `as`.
/// `command` is for errors.
Result<Arguments> read_arguments(std::string_view command, std::span<const Parameter> parameters,
                                 const json::Value& object);

namespace detail {

inline Result<void> take(const Context&, std::string& to, const std::vector<std::string>& from) {
  to = from.back();
  return {};
}
inline Result<void> take(const Context&, bool& to, const std::vector<std::string>&) {
  to = true;
  return {};
}
inline Result<void> take(const Context&, std::optional<std::uint64_t>& to,
                         const std::vector<std::string>& from) {
  to = std::stoull(from.back());
  return {};
}
inline Result<void> take(const Context&, std::vector<std::string>& to,
                         const std::vector<std::string>& from) {
  to = from;
  return {};
}
inline Result<void> take(const Context& context, std::optional<Timestamp>& to,
                         const std::vector<std::string>& from) {
  to = TRY(parse_when(from.back(), context.now));
  return {};
}

}  // namespace detail

/// Returns the parameters that a Query lists.
template <class Query>
std::span<const Parameter> parameters_of() {
  static const std::vector<Parameter> kParameters = [] {
    std::vector<Parameter> all;
    Query::parameters([&](const Parameter& parameter, auto) { all.push_back(parameter); });
    return all;
  }();
  return kParameters;
}

/// Reads values into a Query. Returns Code::invalid for a time that cannot be parsed.
template <class Query>
Result<Query> read_query(const Context& context, const Arguments& arguments) {
  Query query;
  Result<void> done;
  Query::parameters([&](const Parameter& parameter, auto member) {
    const auto& values = arguments.all(parameter.name);
    if (done && !values.empty()) done = detail::take(context, query.*member, values);
  });
  TRY(done);
  return query;
}

namespace detail {

template <const auto& kListing>
struct Erased {
  using Query = typename std::remove_cvref_t<decltype(kListing)>::Query;
  using Row = typename std::remove_cvref_t<decltype(kListing)>::Row;

  static std::span<const Parameter> parameters() { return parameters_of<Query>(); }

  static Result<void> call(Context& context, const Arguments& arguments, Command::Form form,
                           const Command::Print& print) {
    const Query query = TRY(read_query<Query>(context, arguments));
    const bool is_document = form != Command::Form::lines;
    JsonWriter json(form != Command::Form::document);
    if (is_document) json.object().list(kListing.rows);
    TRY(kListing.run(context, query, [&](const Row& row) {
      serialize(json, row);
      return print(is_document ? json.take_part() : json.take());
    }));
    if (is_document) json.end().end();
    if (form == Command::Form::document) print(json.take());
    if (form == Command::Form::compact) print(json.take_value());
    return {};
  }

  static std::string schema() {
    JsonWriter json;
    json.object().member("$schema", "https://json-schema.org/draft/2020-12/schema");
    json.member("type", "object").key("properties").object().key(kListing.rows);
    write_schema<std::vector<Row>>(json);
    json.end().list("required").value(kListing.rows).end().end();
    return json.take();
  }
};

}  // namespace detail

/// Makes the Command of a Listing, which must be a constant of a namespace.
template <const auto& kListing>
Command erased() {
  using Erased = detail::Erased<kListing>;
  return {kListing.name,        kListing.summary, kListing.group,
          Erased::parameters(), Erased::call,     Erased::schema};
}

}  // namespace spoor::api
