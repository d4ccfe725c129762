// scope.denied-path, scope.outside, scope.denied-folder, scope.outside-folder, scope.unclear
#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "guard/check/builtin.h"
#include "guard/check/findings.h"
#include "guard/check/paths.h"

namespace spoor::guard::check {
namespace {

using Reach = Change::Reach;

bool has_expansion(std::string_view path) {
  return path.find_first_of("$`") != std::string_view::npos;
}

class Scope final : public Check {
 public:
  Scope(const ScopeRules& rules, std::string root, bool sees_links)
      : only_(rules.only),
        allows_unclear_(rules.allow_unclear),
        root_(std::move(root)),
        sees_links_(sees_links && !root_.empty()) {
    for (const std::string& pattern : rules.never) {
      for (std::string& each : expand_group(pattern)) never_.push_back({std::move(each), pattern});
    }
  }

  Result<std::optional<CheckResult>> judge(const DecisionEvent& event) override {
    const ActionEffects action_effects = effects_of_action(event);
    const bool is_nothing = action_effects.changes.empty() && action_effects.commands.empty() &&
                            action_effects.folders.empty() && action_effects.is_whole &&
                            action_effects.unclear.empty();
    if (is_nothing) return std::optional<CheckResult>();
    Findings findings;
    if (!action_effects.is_whole) findings.text_missing();
    for (const std::string& why : action_effects.unclear) unclear(why, "", findings);
    for (const Change& change : action_effects.changes) {
      look_at(change, findings);
      if (const auto behind = behind_links(change)) look_at(*behind, findings);
    }
    for (const RunFile& file : action_effects.runs) {
      if (!is_of_project(file, root_)) unclear(why_unread(file), file.path, findings);
    }
    for (const std::string& folder : action_effects.folders) look_at_folder(folder, findings);
    for (const Command& command : action_effects.commands) {
      if (command.folder == "?") {
        unclear(fmt::format("it is unclear which folder '{}' runs in", command.program),
                command.text(), findings);
      } else if (!command.folder.empty()) {
        look_at_folder(command.folder, findings);
      }
    }
    return std::optional(std::move(findings).result());
  }

 private:
  struct Denied {
    std::string pattern;
    std::string written;  // The pattern or its group, as given.
  };

  void unclear(std::string why, std::string evidence, Findings& findings) const {
    if (allows_unclear_) {
      findings.add("scope.unclear", Severity::low, std::move(why), std::move(evidence));
    } else {
      findings.cannot_tell("scope.unclear", std::move(why), std::move(evidence));
    }
  }

  // Returns where a change really is if links lead elsewhere: relative to the root, or absolute.
  std::optional<Change> behind_links(const Change& change) const {
    if (!sees_links_ || !change.is_certain) return std::nullopt;
    const Location location = locate(change.path, change.folder, root_);
    if (location.kind != Location::Kind::inside) return std::nullopt;
    namespace fs = std::filesystem;
    std::error_code none;
    const fs::path root = fs::weakly_canonical(root_, none);
    if (none) return std::nullopt;
    const fs::path real = fs::weakly_canonical(root / location.path, none);
    if (none) return std::nullopt;  // A loop of links: it cannot be written.
    const Location behind = locate(real.string(), "", root.string());
    if (behind == location) return std::nullopt;
    Change there = change;
    there.path = behind.path;
    there.folder.clear();
    return there;
  }

  // Returns the pattern that denies a path; null if none does. For a path that a shell expands,
  // `least` is the required certainty.
  const Denied* denial_of(const Location& location, bool is_pattern = false,
                          Likely least = Likely::yes) const {
    const auto matches = [&](const std::string& pattern) {
      if (!is_pattern) return matches_anywhere(pattern, location.path);
      return likely_anywhere(pattern, location.path) >= least;
    };
    for (const Denied& denied : never_) {
      if (matches(denied.pattern)) return &denied;
      // Starts at any folder: a path with an unknown place may lead there.
      if (location.kind != Location::Kind::inside && matches("**/" + denied.pattern))
        return &denied;
    }
    return nullptr;
  }

  // Returns the pattern that denies something that may be below the path.
  const Denied* denial_beneath(const Location& location, bool is_pattern) const {
    if (location.kind != Location::Kind::inside) return nullptr;
    for (const Denied& denied : never_) {
      if (may_match_beneath(denied.pattern, location.path, is_pattern)) return &denied;
    }
    return nullptr;
  }

  bool may_be_in_scope_beneath(const Location& location, bool is_pattern) const {
    if (location.kind != Location::Kind::inside) return false;
    for (const std::string& pattern : only_) {
      if (may_match_beneath(pattern, location.path, is_pattern)) return true;
    }
    return false;
  }

  bool is_in_scope(const Location& location) const {
    for (const std::string& pattern : only_) {
      if (matches_path(pattern, location.path)) return true;
    }
    return false;
  }

  // Matches an absolute path, with the root at any level above it.
  bool may_be_in_scope(const Location& location) const {
    for (const std::string& pattern : only_) {
      if (matches_path("**/" + pattern, location.path)) return true;
    }
    return false;
  }

  void look_at(const Change& change, Findings& findings) const {
    const auto nobody_knows = [&] {
      unclear(fmt::format("it is unclear which file '{}' is", change.path), change.path, findings);
    };
    const bool is_from_start = change.path.starts_with('/') || change.path.starts_with('~');
    if (change.folder == "?" && !is_from_start) {
      // Only the names are compared: the folder is not known.
      const Location names{Location::Kind::open, change.path};
      const Denied* denied = denial_of(names, change.is_pattern);
      if (denied != nullptr) return report_denied(change.path, *denied, findings);
      return nobody_knows();
    }
    const Location location = locate(change.path, change.folder, root_);
    if (const Denied* denied = denial_of(location, change.is_pattern)) {
      return report_denied(location.path, *denied, findings);
    }
    if (!change.is_certain || has_expansion(change.path)) return nobody_knows();
    if (const Denied* denied = denial_of(location, change.is_pattern, Likely::maybe)) {
      return unclear(fmt::format("it is unclear whether '{}' is one that '{}' denies",
                                 location.path, denied->pattern),
                     change.path, findings);
    }
    if (const Denied* denied = denial_beneath(location, change.is_pattern);
        denied && change.reach != Reach::itself && change.reach != Reach::made) {
      if (change.reach != Reach::some) return report_denied(location.path, *denied, findings);
      return unclear(fmt::format("it is unclear which files in '{}' are changed", location.path),
                     change.path, findings);
    }
    if (only_.empty() || change.reach == Reach::named) return;
    if (change.by_command && keeps_nothing(location.path)) return;
    if (location.kind == Location::Kind::open && may_be_in_scope(location)) {
      return unclear(
          fmt::format("it is unclear whether '{}' is under {}: the folder that is worked in is "
                      "not known",
                      location.path, fmt::join(only_, ", ")),
          change.path, findings);
    }
    if (location.kind == Location::Kind::inside && is_in_scope(location)) return;
    const bool is_part = change.reach == Reach::some || change.reach == Reach::made;
    if (is_part && may_be_in_scope_beneath(location, change.is_pattern)) {
      return unclear(fmt::format("it is unclear which files in '{}' are changed", location.path),
                     change.path, findings);
    }
    findings.add("scope.outside", Severity::high,
                 fmt::format("'{}' is not under {}", location.path, fmt::join(only_, ", ")),
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
    const Location location = locate(folder, "", root_);
    if (const Denied* denied = denial_of(location)) {
      findings.add("scope.denied-folder", Severity::high,
                   fmt::format("a command runs in '{}', which is denied by '{}'", location.path,
                               denied->written),
                   folder);
      return;
    }
    const bool is_elsewhere = location.kind == Location::Kind::outside && !only_.empty();
    if (is_elsewhere && !keeps_nothing(location.path + "/")) {
      findings.add("scope.outside-folder", Severity::high,
                   fmt::format("a command runs in '{}', outside of the folder that is worked in",
                               location.path),
                   folder);
    }
  }

  const std::vector<std::string> only_;
  std::vector<Denied> never_;
  const bool allows_unclear_;
  const std::string root_;
  const bool sees_links_;
};

}  // namespace

std::unique_ptr<Check> make_scope(const ScopeRules& rules, std::string root, bool sees_links) {
  return std::make_unique<Scope>(rules, std::move(root), sees_links);
}

}  // namespace spoor::guard::check
