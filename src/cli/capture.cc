#include "cli/capture.h"

#include <algorithm>
#include <array>
#include <mutex>

#include <fmt/format.h>

#include "audit/redact/redacting_scrubber.h"
#include "audit/redact/rule_reader.h"
#include "cli/files.h"
#include "cli/keys.h"

namespace spoor::cli {
namespace {

using compile::Capture;

constexpr std::string_view kCapture = "config.capture";
constexpr std::string_view kRules = "redaction.rules";
constexpr std::string_view kCaptureKey = "capture";
constexpr std::string_view kRulesKey = "redaction.rules";

// The numbers of this store's placeholders; their file is made with the first secret.
class StoreNumbers final : public audit::Numbering {
 public:
  StoreNumbers(store::Store& store, Config& config, const Environment& environment)
      : store_(store), config_(config), environment_(environment) {}

  Result<std::uint64_t> number_of(std::string_view rule, std::string_view secret) override {
    const std::lock_guard lock(mutex_);
    if (!file_) {
      const std::string path = TRY(redaction_key_path(store_, config_, environment_));
      file_ = std::make_unique<audit::NumberFile>(path);
    }
    return file_->number_of(rule, secret);
  }

 private:
  store::Store& store_;
  Config& config_;
  const Environment& environment_;
  std::mutex mutex_;
  std::unique_ptr<audit::NumberFile> file_;  // Guarded by mutex_.
};

// Rules of the second file whose names the first has too are the first one's.
void add_rules(audit::RuleFile& to, audit::RuleFile from) {
  for (audit::Rule& rule : from.rules) {
    const bool is_there = std::any_of(to.rules.begin(), to.rules.end(),
                                      [&](const audit::Rule& r) { return r.id == rule.id; });
    if (!is_there) to.rules.push_back(std::move(rule));
  }
  to.allowlists.insert(to.allowlists.end(), from.allowlists.begin(), from.allowlists.end());
  to.disabled.insert(to.disabled.end(), from.disabled.begin(), from.disabled.end());
}

Result<std::unique_ptr<audit::RuleSet>> rules_of(const store::Store& store, Config& config) {
  audit::RuleFile own;
  if (const auto text = TRY(store.local(kRules))) {
    own = TRY(audit::read_rules(*text, "the store's rules"));
  }
  const std::string path = TRY(config.get(kRulesKey)).text;
  if (!path.empty()) {
    const auto text = TRY(read_file(path));
    if (!text) return store::not_found(fmt::format("there is no file of rules '{}'", path));
    add_rules(own, TRY(audit::read_rules(*text, path)));
  }
  return audit::RuleSet::with_builtin(std::move(own));
}

}  // namespace

CaptureSwitch::CaptureSwitch(store::Store& store, Config& config, const Environment& environment)
    : store_(store),
      config_(config),
      environment_(environment),
      redacting_(std::make_unique<audit::RedactingScrubber>(
          [this] { return rules_of(store_, config_); },
          std::make_unique<StoreNumbers>(store_, config_, environment_))) {}

CaptureSwitch::~CaptureSwitch() = default;

Result<void> CaptureSwitch::read_settings() {
  std::array<std::optional<std::string>, 3> asked;
  asked[0] = TRY(store_.local(kCapture));
  asked[1] = environment_.variable("SPOOR_CAPTURE");
  const ConfigValues file = TRY(config_.file_values(kCaptureKey));
  if (const auto found = file.find(kCaptureKey); found != file.end()) asked[2] = found->second;
  Capture most = Capture::full;
  for (const auto& each : asked) {
    if (each && !each->empty()) most = std::max(most, TRY(read_capture(*each)));
  }
  settings_ = most;
  return {};
}

Capture CaptureSwitch::capture() const { return std::max(settings_.load(), command_.load()); }

Result<std::string> CaptureSwitch::scrub(compile::Slot slot, std::string bytes) const {
  if (capture() == Capture::full) return bytes;
  return redacting_->scrub(slot, std::move(bytes));
}

Result<Capture> read_capture(std::string_view name) {
  const auto capture = compile::capture_from(name);
  if (!capture) {
    return store::invalid(fmt::format("there is no capture mode '{}'", name),
                          "it is full or redacted");
  }
  if (*capture == Capture::hashed) {
    return store::unavailable("this version does not have the capture mode 'hashed'",
                              "use redacted, or a version that has it");
  }
  return *capture;
}

Result<void> check_rules(std::string_view rules) {
  auto own = TRY(audit::read_rules(rules, "rules"));
  const auto set = TRY(audit::RuleSet::with_builtin(std::move(own)));
  return set->compile();
}

Result<void> set_capture(store::Store& store, Capture capture, std::string_view rules) {
  if (!rules.empty()) TRY(store.set_local(kRules, std::string(rules)));
  return store.set_local(kCapture, std::string(compile::name_of(capture)));
}

}  // namespace spoor::cli
