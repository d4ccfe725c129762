#include "cli/version.h"

#include "cli/command.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

Result<void> run(Session& session, const Arguments& /*arguments*/) {
  session.out().print("spoor ").print(kVersion).newline();
  return {};
}

}  // namespace

extern const Command kVersionCommand{
    .name = "version",
    .summary = "Say which version this is, and which SQLite is inside",
    .options = {},
    .run = run,
    .group = Group::program,
};

}  // namespace spoor::cli
