#include "cli/application.h"

#include "cli/dispatch.h"
#include "cli/help/complete.h"
#include "cli/repl/repl.h"

namespace spoor::cli {
namespace {

// True for `spoor` or `spoor --store x`, without a verb: the interactive session.
bool names_no_command(std::span<const std::string> words, const Environment& environment) {
  const auto line = parse_global(words, environment);
  return line && line.value().rest.empty() && !line.value().global.has("--help") &&
         !line.value().global.has("--version");
}

}  // namespace

int run_command_line(const Host& host, std::span<const std::string> words) {
  Session session(host);
  // Completion scripts run this; it is not a verb, since no person types it.
  if (!words.empty() && words.front() == "__complete") {
    complete(session, words.subspan(1));
    session.finish();
  } else if (names_no_command(words, host.environment)) {
    run_repl(session, parse_global(words, host.environment).value().global);
  } else {
    dispatch(session, words);
  }
  return session.status();
}

}  // namespace spoor::cli
