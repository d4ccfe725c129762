#include "cli/session.h"

#include "cli/command.h"

namespace spoor::cli {
namespace {

// Colour by --color, else config, else NO_COLOR, else whether a person looks.
bool wants_color(const std::string& mode, const Environment& environment, bool is_tty) {
  if (mode == "always") return true;
  if (mode == "never") return false;
  const auto no_color = environment.variable("NO_COLOR");
  if (no_color && !no_color->empty()) return false;
  const auto term = environment.variable("TERM");
  return is_tty && term != "dumb";
}

}  // namespace

Session::Session(const Host& host)
    : host_(host),
      out_(host.terminal, Stream::out),
      err_(host.terminal, Stream::err),
      config_(host.environment) {}

Session::~Session() = default;

Result<void> Session::use(const Arguments& options, bool pages) {
  std::string mode = options.text("--color");
  if (mode.empty()) mode = TRY(config_.get("color")).text;
  if (!mode.empty() && mode != "auto" && mode != "always" && mode != "never") {
    return store::invalid("the setting 'color' is '" + mode + "'", "spoor config color auto");
  }
  const bool raw = options.has("--raw");
  out_.use(wants_color(mode, environment(), out_.is_tty()), raw);
  err_.use(wants_color(mode, environment(), err_.is_tty()), raw);

  if (pages && out_.is_tty() && !options.has("--no-pager")) {
    Config::Value pager = TRY(config_.get("pager"));
    if (pager.origin == "default") {
      pager.text = environment().variable("PAGER").value_or("less");
    }
    if (!pager.text.empty() && pager.text != "cat") host_.terminal.start_pager(pager.text);
  }
  return {};
}

Error Session::usage_error(std::string message, std::string hint) {
  status_ = kExitUsage;
  return store::invalid(std::move(message), std::move(hint));
}

void Session::report(const Error& error) {
  out_.flush();
  err_.print(Style::error, "error:").print(" " + error.message + "\n");
  if (!error.hint.empty()) err_.print(Style::hint, "hint:").print(" " + error.hint + "\n");
  err_.flush();
  if (status_ == kExitOk) status_ = exit_status(error.code);
}

void Session::finish() {
  out_.flush();
  err_.flush();
  if (const auto finished = host_.terminal.finish(); !finished) report(finished.error());
}

}  // namespace spoor::cli
