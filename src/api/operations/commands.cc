#include "api/operations/commands.h"

#include <fmt/format.h>

#include "base/json/reader.h"
#include "store/revision.h"

namespace spoor::api::operations {
namespace {

// Returns a revision or a range with the commit that each `$name` stands for.
Result<std::string> without_names(const Context& context, const std::string& value) {
  if (const auto range = store::split_range(value)) {
    const std::string dots = range->is_symmetric ? "..." : "..";
    return TRY(without_names(context, range->from)) + dots + TRY(without_names(context, range->to));
  }
  return value.starts_with('$') ? TRY(context.resolve(value)).hex() : value;
}

// Returns the arguments with the commits that `$name` stands for.
Result<Arguments> with_names(const Context& context, std::span<const Parameter> parameters,
                             const Arguments& given) {
  Arguments arguments;
  for (const Parameter& each : parameters) {
    const bool is_revision = each.takes == Takes::revision || each.takes == Takes::run;
    for (const std::string& value : given.all(each.name)) {
      arguments.add(each.name, is_revision ? TRY(without_names(context, value)) : value);
    }
  }
  return arguments;
}

Result<std::string> run_listing(const Context& context, const Command& listing,
                                const json::Value& request) {
  const Arguments arguments =
      TRY(read_named_arguments(context, listing.name, listing.parameters, request));
  api::Context from = TRY(context.host->listing_context());
  std::string line;
  TRY(listing.call(from, arguments, Command::Form::compact, [&](std::string_view part) {
    line += part;
    return true;
  }));
  return line;
}

}  // namespace

std::vector<std::string_view> command_names(const Context& context) {
  if (context.host == nullptr) return {};
  std::vector<std::string_view> names = context.host->names();
  for (const Command& listing : commands()) names.emplace_back(listing.name);
  return names;
}

bool is_command(const Context& context, std::string_view name) {
  if (context.host == nullptr) return false;
  return find_command(name) != nullptr || context.host->can_run(name);
}

Result<std::string> Host::run(const Context& /*context*/, std::string_view name,
                              const json::Value& /*request*/) {
  return not_found(fmt::format("no command '{}'", name));
}

Result<Arguments> read_named_arguments(const Context& context, std::string_view command,
                                       std::span<const Parameter> parameters,
                                       const json::Value& request) {
  const Arguments given = TRY(read_arguments(command, parameters, request));
  if (given.has("--stream")) return invalid("an answer is one document", "leave out 'stream'");
  return with_names(context, parameters, given);
}

Result<void> run_command(Context& context, std::string_view name, const json::Value& request,
                         JsonWriter& json) {
  const Command* listing = find_command(name);
  const std::string document = listing != nullptr ? TRY(run_listing(context, *listing, request))
                                                  : TRY(context.host->run(context, name, request));
  if (const std::string as = request.find("as").text(); !as.empty()) {
    const auto parsed = json::parse(document);
    const auto made = Oid::from_hex(parsed ? parsed.value().root().find("hash").text() : "");
    if (made) context.names[as] = *made;
  }
  json.json(document);
  return {};
}

}  // namespace spoor::api::operations
