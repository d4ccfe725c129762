#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "cli/config.h"
#include "cli/environment.h"
#include "cli/error.h"
#include "compile/scrubber.h"
#include "store/store.h"

namespace spoor::cli {

/// How much of what is said is kept: the most restrictive of what the store, the environment, the
/// user's file and the command in hand ask for. Everything that a session writes passes through it.
///
/// Redaction's rules are the built-in ones with those of the store (`init --rules`) and of the
/// setting `redaction.rules` before them; they are read at the first write.
class CaptureSwitch final : public compile::Scrubber {
 public:
  /// For `store`, which must outlive what is written through this, as must the rest.
  CaptureSwitch(store::Store& store, Config& config, const Environment& environment);
  ~CaptureSwitch() override;

  /// Reads what store, environment and file ask for. Code::invalid for a mode that there is not,
  /// Code::unavailable for one that this program does not have.
  Result<void> read_settings();

  /// What the command in hand asks for beside that; `full` asks for nothing.
  void command_wants(compile::Capture capture) { command_ = capture; }

  compile::Capture capture() const override;
  Result<std::string> scrub(compile::Slot slot, std::string bytes) const override;

 private:
  store::Store& store_;
  Config& config_;
  const Environment& environment_;
  std::atomic<compile::Capture> settings_ = compile::Capture::full;
  std::atomic<compile::Capture> command_ = compile::Capture::full;
  std::unique_ptr<const compile::Scrubber> redacting_;
};

/// `--capture`'s words and what they mean. Code::invalid, Code::unavailable.
Result<compile::Capture> read_capture(std::string_view name);

/// Code::invalid, and what is wrong, unless these are rules (TOML) that can be used.
Result<void> check_rules(std::string_view rules);

/// Sets what a store asks for, for ever, and rules of its own (empty: none), which are tried first
/// and have been checked.
Result<void> set_capture(store::Store& store, compile::Capture capture, std::string_view rules);

}  // namespace spoor::cli
