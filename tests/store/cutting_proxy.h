#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/store/temp_dir.h"

namespace spoor::store {

/// Stands between clients and a PostgreSQL server, on a socket of its own, and cuts connections
/// where a test says so. Reads only the frame of messages
/// (https://www.postgresql.org/docs/15/protocol-message-formats.html).
class CuttingProxy {
 public:
  /// When the client's connection ends, as the server sees it.
  enum class Cut {
    before,  ///< the request never arrives
    after,   ///< the request is done, its answer is lost
    late,    ///< the request arrives a while after the client has come back
    never,   ///< it does not: the request is done, and no answer comes
  };

  /// `address`: of a store on the server.
  explicit CuttingProxy(std::string address);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  /// The address of the same store through the proxy.
  const std::string& address() const { return address_; }

  /// The number of round trips so far, of all connections.
  int trips() const { return trips_; }

  /// Cuts the connection at round trip `trip`, and then refuses others with `then`, if given.
  void cut_at(int trip, Cut how, const std::string& then = {});

  /// Refuses connections with this SQLSTATE, and cuts those that there are; empty: no longer.
  void refuse_with(const std::string& state);

 private:
  struct Link;
  void accept_clients();
  void pass_on(int client);
  bool pass_requests(Link& link);
  std::optional<Cut> next_cut();
  std::string refusal() const;

  std::string server_;  // The path of the server's socket.
  std::string address_;
  TempDir folder_;
  int listener_ = -1;
  std::atomic<bool> is_done_ = false;
  std::atomic<int> trips_ = 0;
  mutable std::mutex mutex_;  // Guards what follows.
  int cut_at_ = 0;
  Cut how_ = Cut::before;
  std::string then_;
  std::string refused_with_;
  std::vector<std::thread> threads_;
};

}  // namespace spoor::store
