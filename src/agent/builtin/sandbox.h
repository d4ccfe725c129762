#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/builtin/call_filter.h"
#include "agent/builtin/confinement.h"
#include "agent/builtin/landlock.h"
#include "agent/builtin/mount_tree.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace spoor::agent::builtin {

class Jail;

/// Like fork(2), into new namespaces (`CLONE_NEW…` of clone(2)). The C library does not know of it,
/// so the child may only call functions that are safe in a signal handler.
pid_t clone_process(unsigned long flags) noexcept;

/// Returns the flags of clone_process() for a command's own processes, files and, without
/// `network`, network; `of_user`: in a user namespace. 0: this system has no namespaces.
unsigned long namespace_flags(bool network, bool of_user) noexcept;

/// Confines the commands of one set of tools with what this kernel offers: Landlock, seccomp and
/// namespaces (docs/security.md, "The sandbox"). Elsewhere than on Linux: nothing. A command
///
///   - reads below the root folder, the system's folders, `readable` and a temporary folder,
///   - writes below the root folder and the temporary folder,
///   - has no network unless `network` is set,
///   - cannot see or signal other processes, gain privileges or make namespaces.
///
/// Each part applies if the kernel supports it; confinement() returns those in force. A command to
/// which one of these cannot be applied is not run.
///
/// The temporary folder starts empty, is accessible only to the user, shared by the commands of one
/// Sandbox, and removed with it. Thread-safe.
class Sandbox {
 public:
  struct Settings {
    std::string root;                   ///< absolute
    bool network = false;               ///< TCP, UDP and DNS
    std::vector<std::string> readable;  ///< further files and folders, absolute
    MostConfinement most;
  };

  /// Tries what the kernel supports. Returns Code::invalid if the root is `/`, Code::not_found if
  /// it is not a folder, Code::io if there is no temporary folder.
  static Result<std::unique_ptr<Sandbox>> open(const Settings& settings);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  const Confinement& confinement() const { return confinement_; }

  /// Returns the temporary folder, as commands see it.
  const std::string& temporary() const { return seen_temporary_; }

  /// Returns the files and folders that commands may read, absolute, the root first.
  std::vector<std::string> readable() const;

  /// Makes the confinement of one command. `frozen` are files and folders below the root, relative
  /// to it, sorted, none inside another. The command may not write them, or move the folders that
  /// contain them. Without namespaces they stay writable.
  Result<Jail> jail(const std::vector<std::string>& frozen) const;

 private:
  Sandbox(const Settings& settings, std::string folder);

  Result<void> find_confinement();
  Result<Jail> jail(const std::vector<std::string>& frozen, const Confinement& confinement,
                    bool is_of_user) const;
  MountTree tree(const std::vector<std::string>& frozen) const;
  std::vector<LandlockRule> rules() const;

  Settings settings_;
  std::string folder_;  // Our folder; contains the temporary folder and one to build trees on.
  std::string seen_temporary_;
  Confinement confinement_;
  bool is_of_user_ = false;  // Namespaces need their own user namespace.
};

/// The confinement of one command, made before the fork. The child allocates nothing.
///
/// With namespaces, the child is made by clone(2) with flags() and is the first process of its PID
/// namespace; it calls enter() and forks the command. Without, flags() is 0 and enter() does
/// nothing. In both cases the command calls confine() as the last step before exec.
class Jail {
 public:
  /// Where programs share memory. It is not in the file system on all systems.
  static constexpr const char* kMemory = "/dev/shm";

  unsigned long flags() const { return flags_; }

  int enter() const noexcept;    ///< 0, or an errno
  int confine() const noexcept;  ///< 0, or an errno; cannot be undone

 private:
  friend class Sandbox;
  explicit Jail(MountTree tree) : tree_(std::move(tree)) {}

  int name_user() const noexcept;

  unsigned long flags_ = 0;
  MountTree tree_;
  std::string user_map_;  // For the user namespace; empty: none.
  std::string group_map_;
  int landlock_ = 0;  // The Landlock version.
  Descriptor rules_;
  std::vector<FilterStep> filter_;
};

}  // namespace spoor::agent::builtin
