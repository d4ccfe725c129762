// timer, .bail, .once, .read and quit: commands that control the interactive session. Each sets a
// member of Interactive; the loop (repl/repl.cc) acts on it.
#include <array>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/models/model_settings.h"
#include "cli/models/open_model.h"
#include "cli/session.h"
#include "llm/profile.h"

namespace spoor::cli {
namespace {

constexpr Option kOnOff{"state", "on|off", "which", 0, Takes::choice, Count::one, "on|off"};
constexpr std::array kSwitchOptions = {kOnOff};
constexpr std::array kFileOptions = {
    Option{"file", "FILE", "the file", 0, Takes::path, Count::one},
};

constexpr std::array kModelOptions = {
    Option{"name", "PROVIDER/MODEL", "the model (default: show it)", 0, Takes::text,
           Count::optional},
};

Result<void> choose_model(Session& session, const Arguments& arguments) {
  if (arguments.has("name")) {
    const std::string name = arguments.text("name");
    const auto chosen = TRY(llm::parse_model_name(name));
    const auto before = llm::parse_model_name(TRY(session.config().get("model")).text);
    TRY(OpenModel::open(session, name));  // Report its errors now.
    session.config().choose("model", name);
    if (before && before->provider != chosen.provider) {
      session.err()
          .print(fmt::format("thinking of {}'s models is not sent to {}\n", before->provider,
                             chosen.provider))
          .flush();
    }
  }
  session.out().print(TRY(model_name(session, {}))).newline();
  return {};
}

Result<void> set_timer(Session& session, const Arguments& arguments) {
  session.interactive()->timer = arguments.text("state") == "on";
  return {};
}

Result<void> set_bail(Session& session, const Arguments& arguments) {
  session.interactive()->bail = arguments.text("state") == "on";
  return {};
}

Result<void> write_once(Session& session, const Arguments& arguments) {
  session.interactive()->once = arguments.text("file");
  return {};
}

Result<void> read_script(Session& session, const Arguments& arguments) {
  session.interactive()->script = arguments.text("file");
  return {};
}

Result<void> quit(Session& session, const Arguments& /*arguments*/) {
  session.interactive()->leave = true;
  return {};
}

}  // namespace

extern const Command kModel{
    .name = "model",
    .summary = "Show or choose the model that the next turns go to",
    .options = kModelOptions,
    .run = choose_model,
    .group = Group::session,
    .details =
        "The choice ends with the session; 'config model NAME' keeps one. Thinking that the\n"
        "new model cannot read is left out of its prompts, and a warning names it.",
};
extern const Command kTimer{
    .name = "timer",
    .summary = "Turn the timing of commands on or off",
    .options = kSwitchOptions,
    .run = set_timer,
    .group = Group::session,
};
extern const Command kBail{
    .name = ".bail",
    .summary = "Stop a script at its first failure, or not",
    .options = kSwitchOptions,
    .run = set_bail,
    .group = Group::session,
};
extern const Command kOnce{
    .name = ".once",
    .summary = "Write the output of the next command to a file",
    .options = kFileOptions,
    .run = write_once,
    .group = Group::session,
    .details = "The output has no colour, pager or @numbers. An existing file is replaced.",
};
extern const Command kReadScript{
    .name = ".read",
    .summary = "Run the lines of a file",
    .options = kFileOptions,
    .run = read_script,
    .group = Group::session,
};
extern const Command kQuit{
    .name = "quit",
    .summary = "Leave the session",
    .options = {},
    .run = quit,
    .group = Group::session,
};

}  // namespace spoor::cli
