#pragma once

#include "api/command.h"
#include "cli/command.h"
#include "cli/session.h"

namespace spoor::cli {

/// Returns the parameters of a listing, and `--json` and `--stream`.
std::span<const Option> listing_options(std::span<const Option> parameters,
                                        std::vector<Option>& options);

/// Prints the rows of a listing as JSON. Part of run_listing().
Result<void> print_rows(Session& session, const api::Command& command, const Arguments& arguments);

/// Runs a command of the api and shows its rows. View is constructed from (Session&, const Query&);
/// `row(const Row&)` shows one row, and `end()` prints after the last row.
template <const auto& kListing, class View>
Result<void> run_listing(Session& session, const Arguments& arguments) {
  using Query = typename api::detail::Erased<kListing>::Query;
  using Row = typename api::detail::Erased<kListing>::Row;
  if (arguments.has("--json") || arguments.has("--stream")) {
    return print_rows(session, *api::find_command(kListing.name), arguments);
  }
  api::Context context = TRY(session.context());
  const Query query = TRY(api::read_query<Query>(context, arguments));
  View view(session, query);
  TRY(kListing.run(context, query, [&](const Row& row) {
    view.row(row);
    return !session.out().is_closed();
  }));
  return view.end();
}

/// Makes the shell's command of a listing.
template <const auto& kListing, class View>
Command listing_command() {
  static std::vector<Option> options;
  return {
      .name = kListing.name,
      .summary = kListing.summary,
      .options = listing_options(
          api::parameters_of<typename api::detail::Erased<kListing>::Query>(), options),
      .run = run_listing<kListing, View>,
      .group = kListing.group,
      .pages = true,
      .details = kListing.details,
      .examples = kListing.examples,
  };
}

}  // namespace spoor::cli
