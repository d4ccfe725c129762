#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "tests/store/temp_dir.h"

namespace spoor::store {

/// Debian's PostgreSQL, started for this program under an unprivileged user, on a socket in a
/// folder of its own. It ends with the program, however that ends.
class PostgresServer {
 public:
  /// Starts one; nullptr if none is installed, which is said. `syncs`: as a server does by default.
  static std::unique_ptr<PostgresServer> start(bool syncs);
  /// One without syncs for all tests of this program, started at the first call; nullptr as above.
  static PostgresServer* get();
  /// Another one, for keys.
  static PostgresServer* of_keys();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// The address of a store that is not there yet.
  std::string new_address();

  /// The folder of its socket, and its first process.
  const std::string& host() const { return folder_.path(); }
  pid_t process() const { return server_; }

  /// Ends it as a power cut does.
  void stop();
  /// Starts it, which ended.
  void run();
  /// Both.
  void restart();

  /// The folder with its files, and its log.
  std::string data() const { return folder_ / "data"; }

 private:
  PostgresServer(std::string programs, unsigned user, bool syncs);

  const std::string programs_;
  const unsigned user_;
  const bool syncs_;
  TempDir folder_;
  pid_t server_ = -1;
  int stores_ = 0;
};

}  // namespace spoor::store
