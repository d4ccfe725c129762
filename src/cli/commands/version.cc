#include "cli/version.h"

#include <array>

#include "agent/builtin/builtin.h"
#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "store/sqlite/version.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kOptions = {kJson};

Result<void> run(Session& session, const Arguments& arguments) {
  const auto confinement = TRY(agent::builtin::find_confinement());
  const std::string sqlite = store::sqlite_version();
  const bool has_bug = store::sqlite_has_wal_reset_bug();
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("version", kVersion).member("format", "spoor1");
    json.member("sqlite", sqlite).member("foreign_writers_safe", !has_bug);
    json.member("landlock", std::int64_t{confinement.landlock})
        .member("seccomp", confinement.seccomp);
    json.member("namespaces", confinement.namespaces);
    json.key("libraries").object();
    for (const LinkedLibrary& library : linked_libraries())
      json.member(library.name, library.version);
    json.end().end();
    session.out().verbatim(json.take());
    return {};
  }
  session.out().print("spoor ").print(kVersion).newline();
  session.out().print("format spoor1, SQLite " + sqlite + "\n");
  if (has_bug) {
    session.out().print(
        "no other program may write a store with this SQLite (see docs/durability.md)\n");
  }
  session.out().print("run_command is confined by " + confinement.text() + "\n");
  if (const std::string weakness = confinement.weakness(); !weakness.empty()) {
    session.out().print(weakness + " (see docs/security.md)\n");
  }
  return {};
}

}  // namespace

extern const Command kVersionCommand{
    .name = "version",
    .summary = "Print the versions in use, and the sandbox for commands",
    .options = kOptions,
    .run = run,
    .group = Group::program,
};

}  // namespace spoor::cli
