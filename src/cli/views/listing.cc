#include "cli/views/listing.h"

#include "cli/common_options.h"

namespace spoor::cli {

std::span<const Option> listing_options(std::span<const Option> parameters,
                                        std::vector<Option>& options) {
  options.assign(parameters.begin(), parameters.end());
  options.insert(options.end(), {kJson, kStream});
  return options;
}

Result<void> print_rows(Session& session, const api::Command& command, const Arguments& arguments) {
  api::Context context = TRY(session.context());
  const auto form =
      arguments.has("--stream") ? api::Command::Form::lines : api::Command::Form::document;
  return command.call(context, arguments, form, [&](std::string_view part) {
    session.out().verbatim(part);
    return !session.out().is_closed();
  });
}

}  // namespace spoor::cli
