#include "cli/batch/verbs.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/command.h"
#include "api/json_writer.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "store/revision.h"

namespace spoor::cli::batch {
namespace {

bool prints_json(const Command& command) {
  return std::ranges::any_of(command.options, [](const Option& each) {
    return std::string_view(each.name) == kJson.name;
  });
}

// Returns a revision or a range with the commit that each `$name` stands for.
Result<std::string> without_names(const Context& context, const std::string& value) {
  if (const auto range = store::split_range(value)) {
    const std::string dots = range->is_symmetric ? "..." : "..";
    return TRY(without_names(context, range->from)) + dots + TRY(without_names(context, range->to));
  }
  return value.starts_with('$') ? TRY(context.resolve(value)).hex() : value;
}

// Returns the arguments with the commits that `$name` stands for.
Result<Arguments> with_names(const Context& context, std::span<const Option> options,
                             const Arguments& given) {
  Arguments arguments;
  for (const Option& option : options) {
    const bool is_revision = option.takes == Takes::revision || option.takes == Takes::run;
    for (const std::string& value : given.all(option.name)) {
      arguments.add(option.name, is_revision ? TRY(without_names(context, value)) : value);
    }
  }
  return arguments;
}

Result<std::string> run_listing(Session& session, const api::Command& listing,
                                const Arguments& arguments) {
  api::Context context = TRY(session.context());
  std::string line;
  TRY(listing.call(context, arguments, api::Command::Form::compact, [&](std::string_view part) {
    line += part;
    return true;
  }));
  return line;
}

Result<std::string> run_printing(Session& session, const Command& command,
                                 const Arguments& arguments) {
  auto printed = session.output_of(command, arguments);
  TRY(session.forget_originals());  // It ended with the command.
  const std::string document = TRY(std::move(printed));
  const auto parsed = json::parse(document);
  if (!parsed) {
    return invalid(fmt::format("'{}' prints no JSON document with these members", command.name),
                   fmt::format("see 'spoor help {}'", command.name));
  }
  std::string line;
  json::append_compact(line, parsed.value().root());
  return api::harmless_json(line);  // The document's own escapes were read.
}

}  // namespace

const Command* find_callable(std::string_view name) {
  const Command* command = find_command(name);
  if (command == nullptr || !command->is_callable || !prints_json(*command)) return nullptr;
  const bool is_listed = command->group != Group::session && command->group != Group::program;
  return is_listed ? command : nullptr;
}

Result<std::string> run_callable(Session& session, const Context& context, const Command& command,
                                 const json::Value& request) {
  const api::Command* listing = api::find_command(command.name);
  const auto options = listing != nullptr ? listing->parameters : command.options;
  const Arguments given = TRY(api::read_arguments(command.name, options, request));
  if (given.has("--stream")) return invalid("an answer is one document", "leave out 'stream'");
  Arguments arguments = TRY(with_names(context, options, given));
  if (listing != nullptr) return run_listing(session, *listing, arguments);
  if (!arguments.has(kJson.name)) arguments.add(kJson.name, "");
  return run_printing(session, command, arguments);
}

}  // namespace spoor::cli::batch
