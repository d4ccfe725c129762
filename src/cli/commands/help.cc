#include "cli/help/help.h"

#include <array>

#include <fmt/format.h>

#include "api/command.h"
#include "base/files.h"
#include "cli/commands.h"
#include "cli/help/complete.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"verb", "COMMAND",
           "what to explain: a command, revisions or session (default: an overview)", 0,
           Takes::verb, Count::many},
    Option{"--all", "", "list all commands"},
    Option{"--schema", "", "print the JSON Schema of the command's --json"},
    Option{"--man", "DIR", "write the manual pages into this folder", 0, Takes::path},
    Option{"--completion", "SHELL", "print the completion script of a shell", 0, Takes::choice,
           Count::optional, "bash|zsh|fish"},
};

constexpr std::array kExamples = {
    Example{"spoor help log", "explain the log command"},
    Example{"spoor help --completion bash > ~/.local/share/bash-completion/completions/spoor",
            "complete commands, options, branches and tags in bash"},
};

Result<void> write_man_pages(const std::string& folder) {
  TRY(write_file(folder + "/spoor.1", main_man_page(), 0644));
  for (const Command* command : all_commands()) {
    if (is_for_session_only(*command)) continue;
    TRY(write_file(folder + "/" + page_name(*command) + ".1", man_page(*command), 0644));
  }
  return {};
}

Result<void> print_schema(Session& session, const std::string& verb) {
  const api::Command* command = api::find_command(verb);
  if (command == nullptr) {
    return not_found(fmt::format("'{}' has no schema", verb),
                     "docs/cli-json.md describes its document");
  }
  session.out().verbatim(command->schema());
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  if (arguments.has("--man")) return write_man_pages(arguments.text("--man"));
  if (arguments.has("--completion")) {
    session.out().verbatim(completion_script(arguments.text("--completion")));
    return {};
  }
  if (!arguments.has("verb")) {
    arguments.has("--all") ? print_all_commands(session.out()) : print_overview(session.out());
    return {};
  }
  const std::string verb = fmt::format("{}", fmt::join(arguments.all("verb"), " "));
  if (arguments.has("--schema")) return print_schema(session, verb);
  if (verb == "revisions") {
    print_revisions(session.out());
    return {};
  }
  if (verb == "session") {
    print_session(session.out());
    return {};
  }
  const Command* command = find_command(verb);
  if (command == nullptr) {
    session.exit_with(kExitUsage);
    return no_such_command(verb, session.interactive() != nullptr);
  }
  print_help(session.out(), *command);
  return {};
}

}  // namespace

extern const Command kHelp{
    .name = "help",
    .summary = "Explain a command, or list all",
    .options = kOptions,
    .run = run,
    .group = Group::program,
    .pages = true,
    .examples = kExamples,
};

}  // namespace spoor::cli
