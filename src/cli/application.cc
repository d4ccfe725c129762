#include "cli/application.h"

#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/help.h"

namespace spoor::cli {
namespace {

// Which command a line asks for, and with what.
struct Request {
  const Command* command = nullptr;
  Arguments arguments;
};

void add_all(Arguments& arguments, const Arguments& more) {
  for (const Option& option : global_options()) {
    for (const std::string& value : more.all(option.name)) {
      if (!arguments.has(option.name)) arguments.add(option.name, value);
    }
  }
}

Result<Request> read_request(std::span<const std::string> words) {
  CommandLine line = TRY(parse_global(words));
  if (line.global.has("--version")) return Request{find_command("version"), {}};
  if (line.rest.empty() || line.global.has("--help")) {
    Request help{find_command("help"), std::move(line.global)};
    if (!line.rest.empty()) help.arguments.add("verb", line.rest.front());
    return help;
  }
  const std::string& verb = line.rest.front();
  const Command* command = find_command(verb);
  if (command == nullptr) return no_such_command(verb);
  Request request{command, TRY(parse_arguments(*command, line.rest.subspan(1)))};
  add_all(request.arguments, line.global);
  if (request.arguments.has("--version")) return Request{find_command("version"), {}};
  if (request.arguments.has("--help")) {
    request.command = find_command("help");
    request.arguments = {};
    request.arguments.add("verb", verb);
  }
  return request;
}

}  // namespace

int run_command_line(const Host& host, std::span<const std::string> words) {
  Session session(host);
  // What completion scripts call; no verb, since no person types it.
  if (!words.empty() && words.front() == "__complete") {
    complete(session, words.subspan(1));
    session.finish();
    return kExitOk;
  }
  auto request = read_request(words);
  if (!request) {
    session.exit_with(kExitUsage);
    static_cast<void>(session.use({}, false));
    session.report(request.error());
    return session.status();
  }
  const Command& command = *request.value().command;
  auto done = session.use(request.value().arguments, command.pages);
  if (done) done = command.run(session, request.value().arguments);
  if (!done) session.report(done.error());
  session.finish();
  return session.status();
}

}  // namespace spoor::cli
