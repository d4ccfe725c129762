#include "cli/settings/capture.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "api/arguments.h"
#include "base/files.h"
#include "cli/settings/keys.h"
#include "graph/write_conditions.h"
#include "guard/capture/capturing_scrubber.h"
#include "guard/redact/redacting_scrubber.h"
#include "guard/redact/rule.h"

namespace spoor::cli {
namespace {

using compile::Capture;

using graph::kCapture;
using graph::kCaptureFields;
constexpr std::string_view kFullInProd = "config.capture.full-in-prod";
constexpr std::string_view kRules = "redaction.rules";
constexpr std::string_view kCaptureKey = "capture";
constexpr std::string_view kFieldsKey = "capture.fields";
constexpr std::string_view kRulesKey = "redaction.rules";
constexpr std::array<std::string_view, 4> kEnvironments = {"local", "ci", "staging", "prod"};

// Numbers of this store's placeholders; their file is created with the first secret.
class StoreNumbers final : public guard::Numbering {
 public:
  StoreNumbers(store::Store& store, Config& config, const Environment& environment)
      : store_(store), config_(config), environment_(environment) {}

  Result<std::uint64_t> number_of(std::string_view rule, std::string_view secret) override {
    const std::lock_guard lock(mutex_);
    if (!file_) {
      const std::string path = TRY(redaction_key_path(store_, config_, environment_));
      file_ = std::make_unique<guard::NumberFile>(path);
    }
    return file_->number_of(rule, secret);
  }

 private:
  store::Store& store_;
  Config& config_;
  const Environment& environment_;
  std::mutex mutex_;
  std::unique_ptr<guard::NumberFile> file_;  // Guarded by mutex_.
};

// The rules that a store adds, then the user's, then the built-in ones.
Result<std::unique_ptr<guard::RuleSet>> with_user_rules(guard::Additions added, Config& config) {
  guard::RuleFile own;
  const std::string path = TRY(config.get(kRulesKey)).text;
  if (!path.empty()) own = TRY(read_own_rules(path));
  return guard::RuleSet::with_builtin(std::move(own), std::move(added));
}

Result<std::unique_ptr<guard::RuleSet>> rules_of(const store::Store& store, Config& config) {
  return with_user_rules(TRY(rules_in(store)).value_or(guard::Additions()), config);
}

// Adds the restrictions of a setting.
Result<void> restrict_to(const std::optional<std::string>& capture,
                         const std::optional<std::string>& fields, guard::FieldModes& modes) {
  if (capture && !capture->empty())
    modes.all = std::max(modes.all, TRY(api::read_capture(*capture)));
  if (fields) modes.restrict_to(TRY(guard::read_field_modes(*fields)));
  return {};
}

std::optional<std::string> value_in(const ConfigValues& values, std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

// Slots whose contents may be personal and would otherwise be stored unchanged.
bool is_content(compile::Slot slot) {
  using compile::Slot;
  return slot == Slot::text || slot == Slot::fields || slot == Slot::extra || slot == Slot::raw ||
         slot == Slot::attachment;
}

}  // namespace

CaptureSwitch::CaptureSwitch(store::Store& store, Config& config, const Environment& environment)
    : store_(store),
      config_(config),
      environment_(environment),
      redactor_(std::make_unique<guard::RedactingScrubber>(
          [this] { return rules_of(store_, config_); },
          std::make_unique<StoreNumbers>(store_, config_, environment_))),
      hasher_([this] { return capture_key(store_, config_, environment_); }) {}

CaptureSwitch::~CaptureSwitch() = default;

Result<void> CaptureSwitch::read_settings() {
  guard::FieldModes modes = TRY(modes_asked_for(config_, environment_));
  if (!asked_ || TRY(store_.properties({})).epoch != asked_->epoch) {
    asked_ = TRY(
        store_.properties(std::array<std::string_view, 3>{kCapture, kCaptureFields, kFullInProd}));
  }
  const store::Properties& kept = *asked_;
  TRY(restrict_to(kept.values[0], kept.values[1], modes));
  const bool is_prod = TRY(environment_name(config_)) == "prod";
  const bool may_be_full = kept.values[2] == "true";
  const std::lock_guard lock(mutex_);
  settings_ = modes;
  refuses_full_ = is_prod && !may_be_full;
  return {};
}

void CaptureSwitch::command_wants(const guard::FieldModes& modes) {
  const std::lock_guard lock(mutex_);
  command_ = modes;
}

guard::FieldModes CaptureSwitch::modes() const {
  const std::lock_guard lock(mutex_);
  guard::FieldModes modes = settings_;
  modes.restrict_to(command_);
  return modes.at_least(modes.all);
}

Result<std::string> CaptureSwitch::scrub(compile::Slot slot, std::string bytes) const {
  const guard::FieldModes now = modes();
  if (now.all == Capture::full && is_content(slot) && !bytes.empty()) {
    const std::lock_guard lock(mutex_);
    if (refuses_full_) {
      return denied("texts are not kept in full in the environment 'prod'",
                    "use '--capture redacted' or the setting 'capture', or allow it for this "
                    "store: spoor config --in-store capture.full-in-prod true");
    }
  }
  return guard::CapturingScrubber(now, *redactor_, hasher_).scrub(slot, std::move(bytes));
}

Result<std::shared_ptr<const compile::Scrubber>> CaptureSwitch::at_least(Capture least) const {
  return guard::CapturingScrubber(modes(), *redactor_, hasher_).at_least(least);
}

Result<std::optional<store::Oid>> CaptureSwitch::digest_of(std::string_view body) const {
  return guard::CapturingScrubber(modes(), *redactor_, hasher_).digest_of(body);
}

Result<std::optional<store::Oid>> CaptureSwitch::keyed_digest_of(std::string_view body) const {
  if (!TRY(has_capture_key(store_))) return std::optional<store::Oid>();
  return guard::CapturingScrubber(modes(), *redactor_, hasher_).keyed_digest_of(body);
}

std::shared_ptr<const std::string> CaptureSwitch::original_of(std::string_view stored) const {
  return hasher_.original_of(stored);
}

Result<std::string> environment_name(Config& config) {
  std::string name = TRY(config.get("environment")).text;
  const bool is_known = name.empty() || std::find(kEnvironments.begin(), kEnvironments.end(),
                                                  name) != kEnvironments.end();
  if (is_known) return name;
  return invalid(fmt::format("unknown environment '{}'", name),
                 "the environments are local, ci, staging and prod");
}

Result<guard::FieldModes> modes_asked_for(Config& config, const Environment& environment) {
  guard::FieldModes modes;
  const ConfigValues file = TRY(config.file_values(kCaptureKey));
  TRY(restrict_to(value_in(file, kCaptureKey), value_in(file, kFieldsKey), modes));
  TRY(restrict_to(environment.variable("SPOOR_CAPTURE"),
                  environment.variable("SPOOR_CAPTURE_FIELDS"), modes));
  return modes;
}

Result<std::string> redacted_without_store(Config& config, std::string text) {
  const auto rules = TRY(with_user_rules({}, config));
  guard::MemoryNumbering numbers;
  return guard::Redactor(*rules, numbers).redact(std::move(text));
}

Result<guard::RuleFile> read_own_rules(const std::string& path) {
  const auto text = TRY(read_file(path));
  if (!text) {
    return not_found(fmt::format("no file of redaction rules '{}'", path),
                     "set it with 'spoor config redaction.rules FILE'");
  }
  return guard::read_rules(*text, path);
}

Result<std::optional<guard::Additions>> rules_in(const store::Store& store) {
  const auto text = TRY(store.property(kRules));
  if (!text) return std::optional<guard::Additions>();
  return std::optional(guard::additions_of(TRY(guard::read_rules(*text, "the store's rules"))));
}

Result<guard::Additions> check_rules(std::string_view rules) {
  guard::Additions added = guard::additions_of(TRY(guard::read_rules(rules, "rules")));
  const auto set = TRY(guard::RuleSet::with_builtin({}, added));
  TRY(set->compile());
  return added;
}

Result<void> set_capture(store::Store& store, Capture capture, std::string_view rules) {
  if (!rules.empty()) TRY(store.set_property(kRules, std::string(rules)));
  return store.set_property(kCapture, std::string(compile::name_of(capture)));
}

}  // namespace spoor::cli
