#include "cli/commands.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "cli/near_miss.h"

namespace spoor::cli {

// Each is defined at the end of its file in commands/.
extern const Command kHelp;
extern const Command kVersionCommand;

namespace {

constexpr std::array kAll = {
    &kHelp,
    &kVersionCommand,
};

}  // namespace

std::span<const Command* const> all_commands() { return kAll; }

const Command* find_command(std::string_view name) {
  for (const Command* command : kAll) {
    if (name == command->name) return command;
  }
  return nullptr;
}

Error no_such_command(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Command* command : kAll) names.emplace_back(command->name);
  const std::string near = near_miss(word, names);
  return store::invalid(
      fmt::format("there is no command '{}'", word),
      near.empty() ? "list them with 'spoor help'" : fmt::format("did you mean 'spoor {}'?", near));
}

}  // namespace spoor::cli
