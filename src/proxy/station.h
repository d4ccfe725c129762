#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "proxy/server.h"
#include "proxy/spool.h"

namespace spoor::proxy {

struct StationOptions {
  std::string listen = "127.0.0.1:0";  ///< a loopback address; port 0: any that is free
  std::string spool;                   ///< the folder between the two processes
  /// Makes the server, in a process of its own; the listening socket becomes the server's.
  std::function<Result<std::unique_ptr<Server>>(int socket, const Spool& spool)> serve;
  /// How long finish() lets open exchanges go on; nullopt: until they end, or another
  /// SIGINT, SIGTERM or SIGHUP comes, which the caller has blocked.
  std::optional<std::chrono::milliseconds> grace = {};
  /// Runs in a process of its own, until the other end of `finish` is closed and nothing is left in
  /// the spool; what it returns is the process's status.
  std::function<int(const Spool& spool, int finish)> record;
};

/// A server and a recorder, each a process, and the listening socket, which is this process's: a
/// server that dies is replaced, and no connection is refused meanwhile. The recorder may be slow,
/// or dead: what came waits in the spool.
///
/// This process must have one thread. Both processes are in groups of their own, so that a Ctrl-C
/// at the terminal is the agent's alone.
class Station {
 public:
  /// Code::invalid if an address is none or not this machine's; Code::io.
  static Result<std::unique_ptr<Station>> start(StationOptions options);
  ~Station();
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;

  /// Where clients ask: `http://127.0.0.1:40123`.
  const std::string& address() const { return address_; }

  /// For each child that has ended, as waitpid() says: starts it again, if it is one of the two.
  void ended(pid_t child);

  /// Lets what is open end, and the recorder write all of them. Returns the
  /// recorder's status.
  int finish();

  /// The exchanges that were not recorded so far.
  Spool::Dropped dropped() const { return spool_.dropped(); }

 private:
  explicit Station(StationOptions options, Spool spool)
      : options_(std::move(options)), spool_(std::move(spool)) {}

  Result<void> listen();
  Result<void> start_server();
  Result<void> start_recorder();
  int run_server() const;
  void wait_for_end(Server& server) const;

  const StationOptions options_;
  const Spool spool_;
  const pid_t parent_ = ::getpid();
  std::string address_;
  std::chrono::steady_clock::time_point server_begun_;
  int socket_ = -1;
  int finish_ = -1;  // Closed to end the recorder.
  pid_t server_ = -1;
  pid_t recorder_ = -1;
};

}  // namespace spoor::proxy
