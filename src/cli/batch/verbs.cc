#include "cli/batch/verbs.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/commands.h"
#include "cli/common_options.h"

namespace spoor::cli::batch {
namespace {

bool prints_json(const Command& command) {
  return std::ranges::any_of(command.options, [](const Option& each) {
    return std::string_view(each.name) == kJson.name;
  });
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

std::vector<std::string_view> ShellCommands::names() const {
  std::vector<std::string_view> names = {kRecord};
  for (const Command* command : all_commands()) {
    if (find_callable(command->name) != nullptr) names.emplace_back(command->name);
  }
  return names;
}

Result<std::string> ShellCommands::run(const api::operations::Context& context,
                                       std::string_view name, const json::Value& request) {
  if (name == kRecord) return record(context, request);
  const Command& command = *find_callable(name);
  Arguments arguments =
      TRY(api::operations::read_named_arguments(context, command.name, command.options, request));
  if (!arguments.has(kJson.name)) arguments.add(kJson.name, "");
  return run_printing(session_, command, arguments);
}

Result<std::string> ShellCommands::record(const api::operations::Context& context,
                                          const json::Value& request) {
  constexpr std::array kMembers = {
      api::operations::Member{"exchange", api::operations::Holds::text, true}};
  TRY(api::operations::check_members(kRecord, request, kMembers));
  const auto exchange = decode_base64(request.find("exchange").text());
  if (!exchange) return invalid("'exchange' of 'record' must be base64");
  if (!recorder_) recorder_.emplace(context.repository());
  return recorder_->record_given(*exchange);
}

std::optional<Error> ShellCommands::refusal(std::string_view name) const {
  const Command* command = find_command(name);
  if (command == nullptr) return std::nullopt;
  return invalid(fmt::format("'{}' cannot be run by a program", name),
                 fmt::format("run 'spoor {}' yourself", command->name));
}

}  // namespace spoor::cli::batch
