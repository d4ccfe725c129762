#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agent/builtin/builtin.h"
#include "agent/builtin/deadline.h"
#include "agent/builtin/process.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// Programs that run while an agent works on, such as a server that it tests. Confined as
/// run_command is. All of them are ended when this object is destroyed. Thread-safe.
class Background {
 public:
  explicit Background(SharedBase base) : base_(std::move(base)) {}
  ~Background();

  /// Starts a program in a folder below the root and returns its number, from 1. Returns
  /// Code::denied if kMostRunning run already, and the errors of run_process().
  Result<int> start(const std::vector<std::string>& argv, const std::string& folder,
                    const Deadline& deadline);

  /// The events since the last look.
  struct Look {
    std::string output;          ///< new bytes; beyond kMostUnread their beginning is left out
    std::optional<Ended> ended;  ///< nullopt: it still runs
  };

  /// Waits until there is output, the program ends, or `deadline`, which is not an error. Returns
  /// Code::not_found for a number that start() did not return here.
  Result<Look> look(int number, const Deadline& deadline);

  /// Ends a program and returns its last output.
  Result<Look> stop(int number);

  static constexpr std::size_t kMostRunning = 8;
  static constexpr std::size_t kMostUnread = 256 * 1024;

 private:
  struct Program;

  Result<std::shared_ptr<Program>> find(int number);
  void run(Program& program, const std::vector<std::string>& argv, const std::string& folder);

  const SharedBase base_;
  std::mutex mutex_;  // Guards the members of programs, too.
  std::condition_variable changed_;
  std::map<int, std::shared_ptr<Program>> programs_;  // Shared with their threads.
};

/// Makes `start_command`, `read_command` and `stop_command`, which share one Background.
std::vector<Tool> make_background_tools(const SharedBase& base);

}  // namespace spoor::agent::builtin
