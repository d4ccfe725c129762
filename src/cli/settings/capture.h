#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "cli/error.h"
#include "cli/settings/config.h"
#include "compile/scrubber.h"
#include "guard/capture/field_modes.h"
#include "guard/capture/hasher.h"
#include "guard/redact/rule.h"
#include "store/store.h"

namespace spoor::cli {

/// Limits how much of a session's content is recorded: for each part, the most restrictive mode
/// that the store, the environment, the user's file and the current command ask for. Everything
/// that a session writes passes through it.
///
/// The redaction rules are those that a store adds (`init --rules`), then those of the setting
/// `redaction.rules`, then the built-in ones. They are read at the first write. Texts that are
/// hashed stay in memory, so that they can be sent to a model.
class CaptureSwitch final : public compile::Scrubber {
 public:
  /// `store` must outlive all writes through this object, as must the other arguments.
  CaptureSwitch(store::Store& store, Config& config, const Environment& environment);
  ~CaptureSwitch() override;

  /// Reads the modes that store, environment and file ask for. Returns Code::invalid for an unknown
  /// mode, part or environment. For one thread.
  Result<void> read_settings();

  /// Sets the modes that the current command asks for in addition.
  void command_wants(const guard::FieldModes& modes);

  /// Sets whether hashed texts are kept in memory. They are by default.
  void keep_originals(bool keep) { hasher_.keep_originals(keep); }

  /// Returns the modes in force now.
  guard::FieldModes modes() const;

  compile::Capture capture() const override { return modes().all; }
  std::string differences() const override { return modes().differences(); }
  Result<std::string> scrub(compile::Slot slot, std::string bytes) const override;
  Result<std::shared_ptr<const compile::Scrubber>> at_least(compile::Capture least) const override;
  Result<std::optional<store::Oid>> digest_of(std::string_view body) const override;
  Result<std::optional<store::Oid>> keyed_digest_of(std::string_view body) const override;
  std::shared_ptr<const std::string> original_of(std::string_view stored) const override;

 private:
  store::Store& store_;
  Config& config_;
  const Environment& environment_;
  std::unique_ptr<const compile::Scrubber> redactor_;
  guard::Hasher hasher_;
  std::optional<store::Properties> asked_;  // As the store asked, in that epoch.

  mutable std::mutex mutex_;
  guard::FieldModes settings_;  // Guarded by mutex_, as are the next two.
  guard::FieldModes command_;
  bool refuses_full_ = false;
};

/// Returns the program's environment from SPOOR_ENVIRONMENT or the setting `environment`: local,
/// ci, staging or prod; empty if neither is set. Returns Code::invalid for another word.
Result<std::string> environment_name(Config& config);

/// Returns the modes that the environment and the user's file ask for, when no store is open.
Result<guard::FieldModes> modes_asked_for(Config& config, const Environment& environment);

/// Returns `text` without its secrets, by the built-in rules and the user's, when no store is open.
/// The key that numbers its placeholders is discarded.
Result<std::string> redacted_without_store(Config& config, std::string text);

/// Reads the rules in a file of the user's. Returns Code::not_found, or Code::invalid with the
/// line.
Result<guard::RuleFile> read_own_rules(const std::string& path);

/// Returns the rules that a store adds, and the ignored part of them; nullopt if it has none.
Result<std::optional<guard::Additions>> rules_in(const store::Store& store);

/// Checks that `rules` (TOML) can be a store's rules. Returns the rules they add and the parts that
/// a store may not set; Code::invalid with the reason otherwise.
Result<guard::Additions> check_rules(std::string_view rules);

/// Sets a store's capture mode, permanently, and its own rules (empty: none), which must have been
/// checked and are tried first.
Result<void> set_capture(store::Store& store, compile::Capture capture, std::string_view rules);

}  // namespace spoor::cli
