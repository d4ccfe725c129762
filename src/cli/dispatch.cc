#include "cli/dispatch.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

// The command that a line names, and its arguments.
struct Request {
  const Command* command = nullptr;
  Arguments arguments;
  std::string old_name = {};  // The command's name of the last release, if the line has that.
};

void add_all(Arguments& arguments, const Arguments& more) {
  for (const Option& option : global_options()) {
    if (arguments.has(option.name)) continue;
    for (const std::string& value : more.all(option.name)) arguments.add(option.name, value);
  }
}

// The command that a line begins with, and how many words name it.
struct Named {
  const Command* command = nullptr;
  std::size_t words = 1;
};

Result<Named> find(std::span<const std::string> words, bool in_session) {
  const std::string& verb = words.front();
  const Command* command = find_command(verb);
  if (command == nullptr) return no_such_command(verb, in_session);
  if (words.size() > 1) {
    if (const Command* member = find_command(*command, words[1])) return Named{member, 2};
  }
  if (is_for_session_only(*command) && !in_session) {
    return invalid(fmt::format("'{}' is only for the interactive session", verb),
                   "open it with 'spoor'");
  }
  return Named{command, 1};
}

Result<Request> read_request(std::span<const std::string> words, const Environment& environment,
                             bool in_session) {
  CommandLine line = TRY(parse_global(words, environment));
  if (line.global.has("--version")) return Request{find_command("version"), {}};
  if (line.rest.empty() || line.global.has("--help")) {
    Request help{find_command("help"), std::move(line.global)};
    for (const std::string& word : line.rest) help.arguments.add("verb", word);
    return help;
  }
  const Named named = TRY(find(line.rest, in_session));
  const std::span<const std::string> rest = line.rest.subspan(named.words);
  Request request{named.command, TRY(parse_arguments(*named.command, rest, environment))};
  if (named.words == 1 && line.rest.front() != named.command->name) {
    request.old_name = line.rest.front();
  }
  add_all(request.arguments, line.global);
  if (request.arguments.has("--version")) return Request{find_command("version"), {}};
  if (request.arguments.has("--help")) {
    request.command = find_command("help");
    request.arguments = {};
    request.arguments.add("verb", named.command->name);
  }
  if (in_session && request.arguments.has("--store")) {
    return invalid("a session uses one store", "open another with 'spoor --store PATH'");
  }
  return request;
}

}  // namespace

void dispatch(Session& session, std::span<const std::string> words, const Arguments& globals) {
  auto request = read_request(words, session.environment(), session.interactive() != nullptr);
  if (!request) {
    session.exit_with(kExitUsage);
    static_cast<void>(session.use(globals, false));
    return session.report(request.error());
  }
  const Command& command = *request.value().command;
  if (const std::string& old = request.value().old_name; !old.empty()) {
    session.err()
        .print(Style::hint, "note:")
        .print(fmt::format(" '{}' is now '{}'; the old name works in this release\n", old,
                           command.name));
  }
  Arguments& arguments = request.value().arguments;
  add_all(arguments, globals);
  auto done = session.use(arguments, command.pages);
  if (done) done = command.run(session, arguments);
  session.finish();  // Close the pager first, so that the error follows it.
  if (!done) session.report(done.error());
}

}  // namespace spoor::cli
