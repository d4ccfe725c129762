#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "cli/session.h"
#include "proxy/server.h"
#include "proxy/station.h"

namespace spoor::cli {

/// Returns Code::invalid within an interactive session: a recorder is a child, and a child must not
/// use a store that its parent has open.
Result<void> require_shell(Session& session);

/// Selects the user's own store, and returns the folder `name` of spoor's state. Code::not_found if
/// there is no home.
Result<std::string> spool_folder(Session& session, std::string_view name);

/// Reports why a recorder ends, and returns its exit status.
int failed_recorder(Session& session, const Error& error);

/// The pipe through which a recorder says what it wrote: one line.
class Pipe {
 public:
  static Result<Pipe> make();
  void say(std::string_view line) const;
  std::string heard() const;  ///< empty if nothing was said

 private:
  Pipe(Descriptor out, Descriptor in) : out_(std::move(out)), in_(std::move(in)) {}

  Descriptor out_;
  Descriptor in_;
};

/// Prints `address`, and runs the server until SIGINT, SIGTERM or SIGHUP, which stay blocked. A
/// second one ends it without waiting for what is open.
void serve_until_signal(Session& session, proxy::Server& server, const std::string& address);

/// Prints the station's address, and keeps its processes running until this one gets SIGINT,
/// SIGTERM or SIGHUP, which stay blocked.
void serve_until_signal(Session& session, proxy::Station& station);

}  // namespace spoor::cli
