// scope.denied-path, scope.outside, scope.denied-folder, scope.outside-folder
#include <utility>

#include <fmt/format.h>

#include "audit/check/builtin.h"
#include "audit/check/findings.h"
#include "audit/check/paths.h"

namespace spoor::audit::check {
namespace {

using store::Result;

// Where programs write that keep nothing: `2>/dev/null`, `mktemp`.
bool keeps_nothing(const Change& change) {
  if (!change.by_command) return false;
  for (const std::string_view folder : {"/dev/", "/tmp/", "/var/tmp/", "/private/tmp/"}) {
    if (change.path.starts_with(folder)) return true;
  }
  return false;
}

class Scope final : public Check {
 public:
  Scope(const ScopeRules& rules, std::string root) : only_(rules.only), root_(std::move(root)) {
    for (const std::string& pattern : rules.never) {
      for (std::string& each : expand_group(pattern)) never_.push_back({std::move(each), pattern});
    }
  }

  Result<std::optional<CheckResult>> judge(const DecisionEvent& event) override {
    const Deeds deeds = deeds_of(event);
    const bool is_nothing =
        deeds.changes.empty() && deeds.commands.empty() && deeds.folders.empty() && deeds.is_whole;
    if (is_nothing) return std::optional<CheckResult>();
    Findings findings;
    if (!deeds.is_whole) findings.lack();
    for (const Change& change : deeds.changes) look_at(change, findings);
    for (const std::string& folder : deeds.folders) look_at_folder(folder, findings);
    for (const Command& command : deeds.commands) {
      if (!command.folder.empty() && command.folder != "?") {
        look_at_folder(command.folder, findings);
      }
    }
    return std::optional(std::move(findings).result());
  }

 private:
  struct Denied {
    std::string pattern;
    std::string written;  // The group that it belongs to, or itself.
  };

  // The pattern that denies a place; null: none does.
  const Denied* denial_of(const Place& place) const {
    for (const Denied& denied : never_) {
      if (matches_anywhere(denied.pattern, place.path)) return &denied;
      if (place.kind == Place::Kind::inside) continue;
      // From any folder on: a path that nobody can place may lead there.
      const std::string anywhere = "**/" + denied.pattern;
      if (matches_anywhere(anywhere, place.path)) return &denied;
    }
    return nullptr;
  }

  bool is_in_scope(const Place& place) const {
    for (const std::string& pattern : only_) {
      if (matches_path(pattern, place.path)) return true;
    }
    return false;
  }

  void look_at(const Change& change, Findings& findings) const {
    if (change.folder == "?" && !change.path.starts_with('/') && !change.path.starts_with('~')) {
      // The names alone: the folder is not known.
      if (const Denied* denied = denial_of({Place::Kind::open, change.path})) {
        return report_denied(change.path, *denied, findings);
      }
      return;
    }
    const Place place = place_of(change.path, change.folder, root_);
    if (const Denied* denied = denial_of(place)) {
      return report_denied(place.path, *denied, findings);
    }
    if (only_.empty() || place.kind == Place::Kind::open || keeps_nothing(change)) return;
    if (place.kind == Place::Kind::inside && is_in_scope(place)) return;
    findings.add("scope.outside", Severity::high,
                 fmt::format("'{}' is not under {}", place.path, fmt::join(only_, ", ")),
                 change.path);
  }

  static void report_denied(const std::string& path, const Denied& denied, Findings& findings) {
    findings.add(
        "scope.denied-path", Severity::high,
        denied.written == denied.pattern
            ? fmt::format("'{}' is denied by '{}'", path, denied.pattern)
            : fmt::format("'{}' is denied by '{}' ({})", path, denied.pattern, denied.written),
        path);
  }

  void look_at_folder(const std::string& folder, Findings& findings) const {
    const Place place = place_of(folder, "", root_);
    if (const Denied* denied = denial_of(place)) {
      findings.add("scope.denied-folder", Severity::high,
                   fmt::format("a command runs in '{}', which is denied by '{}'", place.path,
                               denied->written),
                   folder);
      return;
    }
    const bool is_elsewhere = place.kind == Place::Kind::outside && !only_.empty();
    if (is_elsewhere && !keeps_nothing({place.path + "/", "", true})) {
      findings.add("scope.outside-folder", Severity::high,
                   fmt::format("a command runs in '{}', outside of the folder that is worked in",
                               place.path),
                   folder);
    }
  }

  const std::vector<std::string> only_;
  std::vector<Denied> never_;
  const std::string root_;
};

}  // namespace

std::unique_ptr<Check> make_scope(const ScopeRules& rules, std::string root) {
  return std::make_unique<Scope>(rules, std::move(root));
}

}  // namespace spoor::audit::check
