#include "agent/builtin/confined.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "agent/builtin/base.h"
#include "agent/builtin/environment.h"
#include "agent/builtin/folder_walk.h"
#include "base/json/writer.h"

namespace spoor::agent::builtin {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kMostShown = 10;  // How many changed protected files are listed.

Result<ProtectedFiles> protected_in(const Base& base, const Sandbox& sandbox,
                                    const Deadline& deadline) {
  // Read-only mounts cannot change inside.
  const auto extent = sandbox.confinement().namespaces ? Extent::outermost : Extent::whole;
  return find_protected(base.root, extent, deadline);
}

// Commands are given whole folders, so a store's files in them cannot be hidden.
Result<Jail> jail_for(const Base& base, const Sandbox& sandbox, const ProtectedFiles& files) {
  TRY(base.root.closed().store.check_outside(sandbox.readable()));
  std::vector<std::string> frozen;
  for (const auto& [path, file] : files) {
    if (file.is_store && !sandbox.confinement().namespaces) {
      return denied(
          fmt::format("'{}' belongs to a spoor store, and a command could write it here", path),
          "name a folder without it with --root, or allow it with --allow-write");
    }
    frozen.push_back(path);
  }
  if (!sandbox.confinement().namespaces) frozen.clear();
  return sandbox.jail(frozen);
}

}  // namespace

Result<std::unique_ptr<Sandbox>> open_sandbox(const Settings& settings) {
  return Sandbox::open({.root = settings.root,
                        .network = settings.has_network,
                        .readable = settings.readable,
                        .most = settings.most_confinement});
}

Result<const Sandbox*> Confined::sandbox(const Settings& settings) {
  const std::lock_guard lock(mutex_);
  if (!sandbox_) sandbox_ = TRY(open_sandbox(settings));
  return sandbox_.get();
}

Result<Confined::Entry> Confined::enter(const Base& base, const Deadline& deadline) {
  TRY(deadline.check());
  const Sandbox& box = *TRY(sandbox(base.settings));
  ProtectedFiles files = TRY(protected_in(base, box, deadline));
  if (box.confinement().namespaces) TRY(make_logs(base.root, files));
  Jail jail = TRY(jail_for(base, box, files));
  const Settings& settings = base.settings;
  return Entry{&box, std::move(files), std::move(jail),
               command_environment(settings.environment, settings.pass_variables, box.temporary())};
}

void Confined::note_changes(ToolResult& result, const Base& base, const Entry& entry) {
  const auto after = protected_in(base, *entry.sandbox, Deadline({}, milliseconds(0)));
  if (!after) {
    result.text += fmt::format("\n[{}]", after.error().message);
    return;
  }
  std::vector<std::string> changed = changed_paths(entry.files, after.value());
  if (changed.empty()) return;
  const std::size_t count = changed.size();
  changed.resize(std::min(count, kMostShown));
  std::string shown;
  for (const std::string& path : changed) {
    shown += fmt::format("{}{}", shown.empty() ? "" : ", ", shown_path(path));
  }
  if (count > kMostShown) shown += fmt::format(" and {} more", count - kMostShown);
  result.text += fmt::format("\n[write-protected files were changed or made meanwhile: {}]", shown);
  result.facts.set(fact::protected_changed, json::write_strings(changed));
}

std::string seconds_of(milliseconds time) {
  return fmt::format("{} s", static_cast<double>(time.count()) / 1000);
}

std::string ending_of(const Ended& ended, milliseconds timeout) {
  if (ended.was_stopped) return "interrupted; it was ended";
  if (ended.was_late) return fmt::format("took longer than {} and was ended", seconds_of(timeout));
  if (ended.signal != 0) {
    return fmt::format("signal {} ended it ({})", ended.signal, ::strsignal(ended.signal));
  }
  return ended.exit_code == 0 ? "" : fmt::format("exit code {}", ended.exit_code);
}

void note_time(compile::Facts& facts, const Ended& ended) {
  if (ended.was_late) facts.set(fact::timed_out, true);
  if (ended.was_stopped) facts.set(fact::was_stopped, true);
  facts.set(fact::duration_ms, ended.duration.count());
}

void note_ending(compile::Facts& facts, const Ended& ended) {
  if (ended.signal != 0) {
    facts.set(fact::signal, ended.signal);
  } else {
    facts.set(fact::exit_code, ended.exit_code);
  }
  note_time(facts, ended);
}

}  // namespace spoor::agent::builtin
