// tui: look at sessions and turns on the whole screen.
#include <array>

#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/tui/browser.h"
#include "cli/tui/curses_screen.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "a session, a branch or a commit (default: all sessions)", 0,
           Takes::revision},
};

constexpr std::array kExamples = {
    Example{"spoor tui", "all sessions"},
    Example{"spoor tui 57", "session 57, at its last turn"},
    Example{"spoor tui main@{yesterday}", "what was there yesterday"},
};

Result<void> run(Session& session, const Arguments& arguments) {
  Arguments globals;
  for (const Option& option : global_options()) {
    for (const std::string& value : arguments.all(option.name)) globals.add(option.name, value);
  }
  // An error of the store is printed by the shell, before the terminal is taken.
  TRY(session.workspace());
  const auto screen = TRY(tui::CursesScreen::open(session.out().has_color()));
  const Host host{session.terminal(), session.environment(), session.clock()};
  tui::Browser browser(*screen, host, std::move(globals));
  TRY(browser.open(arguments.text("revision")));
  return browser.run();
}

}  // namespace

extern const Command kTui{
    .name = "tui",
    .summary = "Look at sessions, turns and prompts on the whole screen",
    .options = kOptions,
    .run = run,
    .group = Group::start,
    .details =
        "A list, and a pane that shows the row under the cursor: of a session its log, of a\n"
        "turn its text, its thinking, what was new in the prompt, or the prompt at that\n"
        "point. The pane is the output of a command, which its heading names. It follows\n"
        "sessions as they grow. Keys are those of tig and lazygit; ? lists them.",
    .examples = kExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
