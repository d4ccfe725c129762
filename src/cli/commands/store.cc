#include <array>

#include "cli/commands.h"
#include "cli/help/help.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"command", "COMMAND", "one of the commands (default: list them)", 0, Takes::verb},
};

Result<void> run(Session& session, const Arguments& arguments) {
  if (arguments.has("command")) {
    session.exit_with(kExitUsage);
    return no_such_command("store " + arguments.text("command"), session.interactive() != nullptr);
  }
  print_group(session.out(), *find_command("store"));
  return {};
}

}  // namespace

extern const Command kStore{
    .name = "store",
    .summary = "Verify, shrink, archive or erase the contents of the store",
    .options = kOptions,
    .run = run,
    .group = Group::care,
};

}  // namespace spoor::cli
