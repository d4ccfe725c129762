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

  /// Returns the output of `argv` with `input` as its standard input. Returns an error if it cannot
  /// be started, takes longer than `timeout`, prints too much, or exits with a code other than 0.
  virtual Result<std::string> run(const std::vector<std::string>& argv, std::string_view input,
                                  std::chrono::milliseconds timeout) = 0;
};

/// Returns programs of this machine (agent/builtin/process.h). Each runs without a shell, in
/// `folder`, in its own process group that is killed at the timeout, and with only a few variables:
/// those of `environment` that contain no key.
std::unique_ptr<Programs> make_programs(
    std::string folder, const std::vector<std::pair<std::string, std::string>>& environment);

/// Returns a check by a program, which reads the event in the form of `spoor events` and prints a
/// reply in the form of read_reply(). `programs` must outlive the check. Any other behaviour is an
/// error, never a `pass`.
std::unique_ptr<Check> make_command(const CommandRules& rules, Programs& programs);

}  // namespace spoor::guard::check
