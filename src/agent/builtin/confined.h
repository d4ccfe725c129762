#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/builtin/deadline.h"
#include "agent/builtin/process.h"
#include "agent/builtin/protected_files.h"
#include "agent/builtin/sandbox.h"
#include "agent/tool.h"
#include "base/result.h"

namespace spoor::agent::builtin {

struct Base;
struct Settings;

/// The sandbox (sandbox.h) in which one set of tools runs programs: commands of a model, tools that
/// are programs, servers. Opened for the first of them; later ones share its temporary folder.
///
/// Thread-safe.
class Confined {
 public:
  /// The confinement of one program, and what must not change while it runs.
  struct Entry {
    const Sandbox* sandbox = nullptr;  ///< lives as long as the Confined
    ProtectedFiles files;
    Jail jail;
    std::vector<std::pair<std::string, std::string>> environment;
  };

  /// Prepares the confinement of one program of `base`, which owns this object. Finds the
  /// write-protected files first, which takes time in large folders. Returns the errors of
  /// Sandbox::open() and find_protected(), and Code::denied if the program could reach the store.
  Result<Entry> enter(const Base& base, const Deadline& deadline);

  /// Adds to a result the write-protected files that changed since `entry`: those that the program
  /// made and, without read-only mounts, those that it wrote.
  static void note_changes(ToolResult& result, const Base& base, const Entry& entry);

 private:
  Result<const Sandbox*> sandbox(const Settings& settings);

  std::mutex mutex_;
  std::unique_ptr<Sandbox> sandbox_;  // Guarded by mutex_ until it is set.
};

/// Opens the sandbox of these settings.
Result<std::unique_ptr<Sandbox>> open_sandbox(const Settings& settings);

/// Describes how a program ended, for the line before its output; empty for exit code 0. `timeout`
/// is the time that it had.
std::string ending_of(const Ended& ended, std::chrono::milliseconds timeout);

/// Sets the facts of an ended program: its duration, and why it was ended.
void note_time(compile::Facts& facts, const Ended& ended);

/// As note_time(), and exit code or signal: for a command, whose status is a check.
void note_ending(compile::Facts& facts, const Ended& ended);

/// Formats a time for people: `2.5 s`.
std::string seconds_of(std::chrono::milliseconds time);

}  // namespace spoor::agent::builtin
