#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "guard/check/check.h"
#include "guard/check/constraints.h"

namespace spoor::guard::check {

/// Runs a program that judges. A port.
class Programs {
 public:
  virtual ~Programs() = default;

  /// What `argv` prints when `input` is its standard input. An error when it cannot be started,
  /// takes longer than `timeout`, prints too much, or ends with anything but 0.
  virtual Result<std::string> run(const std::vector<std::string>& argv, std::string_view input,
                                  std::chrono::milliseconds timeout) = 0;
};

/// Programs of this machine (agent/builtin/process.h): without a shell, in a group of their own
/// that is killed when the time is over, and with few variables. Each runs in `folder`, and with
/// those of `environment` that hold no key.
std::unique_ptr<Programs> make_programs(
    std::string folder, const std::vector<std::pair<std::string, std::string>>& environment);

/// A check by a program: it reads the event, as `spoor events` writes it, and prints what
/// read_reply() reads. `programs` outlives it. Anything else that it does is an error, never a
/// `pass`.
std::unique_ptr<Check> make_command(const CommandRules& rules, Programs& programs);

}  // namespace spoor::guard::check
