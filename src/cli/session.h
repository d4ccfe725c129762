#pragma once

#include <memory>
#include <string>

#include "cli/arguments.h"
#include "cli/config.h"
#include "cli/environment.h"
#include "cli/error.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "store/timestamp.h"

namespace spoor::cli {

struct Command;

/// What a program run is given from outside. All of it outlives the session.
struct Host {
  Terminal& terminal;
  const Environment& environment;
  const store::Clock& clock;
};

/// One run of one command line (later: of many lines of the interactive
/// session): where output goes, what is configured, which store is worked on.
class Session {
 public:
  explicit Session(const Host& host);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Output& out() { return out_; }
  Output& err() { return err_; }
  Terminal& terminal() { return host_.terminal; }
  Config& config() { return config_; }
  const Environment& environment() const { return host_.environment; }
  const store::Clock& clock() const { return host_.clock; }

  /// Takes colour, `--raw`, the store's path and the pager from the options of
  /// this line. `pages`: the command's output may go through the pager.
  /// Code::invalid when the configuration cannot be understood.
  Result<void> use(const Arguments& options, bool pages);

  /// Whatever the command answers, the process shall end with `status`.
  void exit_with(int status) { status_ = status; }
  int status() const { return status_; }

  /// An error of whoever typed the line: exit status 2.
  Error usage_error(std::string message, std::string hint = {});

  /// Prints `error: …` and `hint: …`, and settles the exit status.
  void report(const Error& error);

  /// Sends out what is still held back and closes the pager.
  void finish();

 private:
  Host host_;
  Output out_;
  Output err_;
  Config config_;
  int status_ = kExitOk;
};

}  // namespace spoor::cli
