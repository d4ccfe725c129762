#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "cli/config.h"
#include "cli/environment.h"
#include "cli/error.h"
#include "compile/scrubber.h"
#include "guard/capture/field_modes.h"
#include "guard/capture/hasher.h"
#include "guard/redact/rule.h"
#include "store/store.h"

namespace spoor::cli {

/// How much of what is said is kept: the most restrictive of what the store, the environment, the
/// user's file and the command in hand ask for, part by part. Everything that a session writes
/// passes through it.
///
/// Redaction's rules are the built-in ones with those of the setting `redaction.rules` before them,
/// and what a store's own (`init --rules`) add; they are read at the first write. Texts that are
/// hashed stay in memory, so that a model can be sent them.
class CaptureSwitch final : public compile::Scrubber {
 public:
  /// For `store`, which must outlive what is written through this, as must the rest.
  CaptureSwitch(store::Store& store, Config& config, const Environment& environment);
  ~CaptureSwitch() override;

  /// Reads what store, environment and file ask for. Code::invalid for a mode, a part or an
  /// environment that there is not.
  Result<void> read_settings();

  /// What the command in hand asks for beside that.
  void command_wants(const guard::FieldModes& modes);

  /// Are texts that are hashed kept in memory? As at first, yes.
  void keep_originals(bool keep) { hasher_.keep_originals(keep); }

  /// What is in force now.
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

  mutable std::mutex mutex_;
  guard::FieldModes settings_;  // Guarded by mutex_, as are the next two.
  guard::FieldModes command_;
  bool refuses_full_ = false;
};

/// `--capture`'s words and what they mean. Code::invalid.
Result<compile::Capture> read_capture(std::string_view name);

/// Where a program runs, by SPOOR_ENVIRONMENT and the setting `environment`: local, ci, staging or
/// prod; empty where nobody says. Code::invalid for another word.
Result<std::string> environment_name(Config& config);

/// What the environment and the user's file ask for, where no store is opened.
Result<guard::FieldModes> modes_asked_for(Config& config, const Environment& environment);

/// `text` without its secrets, by the built-in rules and those of the user, where no store is
/// opened. What its placeholders are numbered by is forgotten.
Result<std::string> redacted_without_store(Config& config, std::string text);

/// The rules in a file of the user's. Code::not_found, or Code::invalid with their line.
Result<guard::RuleFile> read_own_rules(const std::string& path);

/// What the rules that a store carries add, and what in them is ignored; nullopt when it has none.
Result<std::optional<guard::Additions>> rules_in(const store::Store& store);

/// Code::invalid, and what is wrong, unless these are rules (TOML) that a store can use; what they
/// add, and what a store may not say.
Result<guard::Additions> check_rules(std::string_view rules);

/// Sets what a store asks for, for ever, and rules of its own (empty: none), which are tried first
/// and have been checked.
Result<void> set_capture(store::Store& store, compile::Capture capture, std::string_view rules);

}  // namespace spoor::cli
