#include "store/sqlite/folded.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "store/operation_walk.h"
#include "store/sqlite/arrivals.h"
#include "store/sqlite/ref_cache.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::size_t kNameSize = 32;
constexpr std::size_t kNamesInRow = 4'096;

// A range of the log whose names are in one row.
struct Stretch {
  std::int64_t first = 0;  // Its first operation's number.
  std::string names;

  std::int64_t end() const { return first + static_cast<std::int64_t>(names.size() / kNameSize); }
};

Result<void> write(Connection& connection, Stretch& stretch) {
  if (stretch.names.empty()) return {};
  Statement row = TRY(connection.use(Query::add_folded));
  TRY(connection.run(row.bind(1, stretch.first).bind_blob(2, stretch.names)));
  stretch = {stretch.end(), ""};
  return {};
}

// Returns the number of the first operation after those in the table; 0 if the table is empty.
Result<std::int64_t> end_of_table(Connection& connection) {
  std::int64_t end = 0;
  Statement rows = TRY(connection.use(Query::folded));
  while (TRY(connection.next(rows))) {
    end = Stretch{rows.integer(0), std::string(rows.bytes(1))}.end();
  }
  return end;
}

}  // namespace

Result<void> keep_folded_names(Connection& connection, std::int64_t number) {
  if (!TRY(takes_arrivals(connection))) return {};
  Stretch stretch{TRY(end_of_table(connection)), ""};
  Statement rows = TRY(connection.use(Query::operations_from));
  rows.bind(1, stretch.first);
  while (TRY(connection.next(rows)) && rows.integer(0) <= number) {
    const LoggedOperation logged = TRY(verified_operation(connection, rows));
    const auto at = static_cast<std::int64_t>(logged.number);
    if (stretch.names.empty()) stretch.first = at;
    stretch.names += chain_name(TRY(parse_operation(logged.body)), logged.name).view();
    if (stretch.names.size() == kNamesInRow * kNameSize) TRY(write(connection, stretch));
  }
  rows.reset();
  return write(connection, stretch);
}

Result<OperationNames> folded_names(Connection& connection) {
  if (!TRY(takes_arrivals(connection))) {
    return unavailable("this store's format does not keep the names of folded operations",
                       "run 'spoor store gc --upgrade'");
  }
  OperationNames found;
  Statement rows = TRY(connection.use(Query::folded));
  while (TRY(connection.next(rows))) {
    const auto number = static_cast<std::uint64_t>(rows.integer(0));
    if (found.names.empty()) found.first = number;
    std::string_view names = rows.bytes(1);
    const bool follows = number == found.first + found.names.size() && rows.integer(0) > 0;
    if (!follows || names.empty() || names.size() % kNameSize != 0) {
      return corrupt(fmt::format("the names of folded operations are damaged at {}", number),
                     "run 'spoor store fsck'");
    }
    for (; !names.empty(); names.remove_prefix(kNameSize)) {
      found.names.push_back(*Oid::from_bytes(names.substr(0, kNameSize)));
    }
  }
  return found;
}

Result<std::vector<Store::Finding>> damaged_folded_names(Connection& connection) {
  std::vector<Store::Finding> found;
  if (!TRY(takes_arrivals(connection))) return found;
  std::optional<Stretch> last;
  Statement rows = TRY(connection.use(Query::folded));
  while (TRY(connection.next(rows))) {
    const auto add = [&](std::string_view problem) {
      found.push_back({fmt::format("folded operation {}", rows.integer(0)), std::string(problem)});
    };
    if (!rows.is_blob(1) || rows.bytes(1).empty() || rows.bytes(1).size() % kNameSize != 0) {
      add("the names from there on are malformed");
    }
    if (rows.integer(0) < 1) add("its number is not that of an operation");
    if (last && last->end() != rows.integer(0)) add("names before it are missing");
    last = {rows.integer(0), std::string(rows.bytes(1))};
  }
  if (!last) return found;

  Statement first = TRY(connection.use(Query::operations_from));
  if (!TRY(connection.next(first.bind(1, 0)))) return found;
  const LoggedOperation logged = TRY(logged_operation(connection, first));
  const auto operation = parse_operation(logged.body);
  if (!operation) return found;  // The log's own check reports that.
  const Oid stands_for = chain_name(*operation, logged.name);
  const auto at = static_cast<std::int64_t>(logged.number);
  const bool ends_there =
      operation->folded && last->end() == at + 1 && last->names.ends_with(stands_for.view());
  if (!ends_there) {
    found.push_back({fmt::format("folded operation {}", last->end() - 1),
                     "the log does not begin with a checkpoint that replaces it"});
  }
  return found;
}

}  // namespace spoor::store::sqlite
