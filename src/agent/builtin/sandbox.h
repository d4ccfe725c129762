#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/builtin/confinement.h"
#include "agent/builtin/descriptor.h"
#include "agent/builtin/landlock.h"
#include "agent/builtin/mount_tree.h"
#include "base/result.h"

namespace spoor::agent::builtin {

class Jail;

/// Like fork(2), into new namespaces (`CLONE_NEW…` of clone(2)). Without the C library's knowledge:
/// the child may only call what is safe in a handler of signals.
pid_t clone_process(unsigned long flags) noexcept;

/// Confines the commands of one set of tools, by what this kernel has: Landlock, seccomp and
/// namespaces (docs/security.md, "The sandbox"). A command
///
///   - reads below the root folder, the system's own folders, `readable` and a temporary folder,
///   - writes below the root folder and the temporary folder,
///   - has no network unless `network` is set,
///   - sees and signals no other process, gains no privileges and makes no namespaces.
///
/// Each part holds where the kernel has it; confinement() says which are in force. What is in force
/// is never left out silently: a command that cannot be confined so is not run.
///
/// The temporary folder is empty, for the user alone, shared by the commands of one Sandbox, and
/// removed with it. Safe to use from several threads.
class Sandbox {
 public:
  struct Settings {
    std::string root;                   ///< absolute
    bool network = false;               ///< TCP, UDP and names
    std::vector<std::string> readable;  ///< further files and folders, absolute
    MostConfinement most;
  };

  /// Tries out what the kernel lets us do. Code::invalid when the root is `/`, not_found when it is
  /// no folder; io when there is no temporary folder.
  static Result<std::unique_ptr<Sandbox>> open(const Settings& settings);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  const Confinement& confinement() const { return confinement_; }

  /// The temporary folder, as commands see it.
  const std::string& temporary() const { return seen_temporary_; }

  /// Files and folders whose contents a command may come to see, absolute, the root first.
  std::vector<std::string> readable() const;

  /// For one command. `frozen` are files and folders below the root, relative to it, sorted and
  /// none in another, that it may not write, nor move the folders that they are in; they stay
  /// writable where namespaces are not in force.
  Result<Jail> jail(const std::vector<std::string>& frozen) const;

 private:
  Sandbox(const Settings& settings, std::string folder);

  Result<void> find_confinement();
  Result<Jail> jail(const std::vector<std::string>& frozen, const Confinement& confinement,
                    bool is_of_user) const;
  MountTree tree(const std::vector<std::string>& frozen) const;
  std::vector<LandlockRule> rules() const;

  Settings settings_;
  std::string folder_;  // Ours; holds the temporary folder and one to build trees on.
  std::string seen_temporary_;
  Confinement confinement_;
  bool is_of_user_ = false;  // Namespaces need a user namespace of their own.
};

/// One command's confinement, made before the fork. The child's part allocates nothing.
///
/// With namespaces the child is made by clone(2) with flags() and is the first process of its PID
/// namespace; it calls enter(), and forks the command. Without, flags() is 0 and enter() does
/// nothing. Either way the command calls confine() last of all before exec.
class Jail {
 public:
  unsigned long flags() const { return flags_; }

  int enter() const noexcept;    ///< 0, or an errno
  int confine() const noexcept;  ///< 0, or an errno; cannot be undone

 private:
  friend class Sandbox;
  explicit Jail(MountTree tree) : tree_(std::move(tree)) {}

  int name_user() const noexcept;

  unsigned long flags_ = 0;
  MountTree tree_;
  std::string user_map_;  // Of the user namespace; empty: none.
  std::string group_map_;
  int landlock_ = 0;  // The version.
  Descriptor rules_;
  std::vector<sock_filter> filter_;
};

}  // namespace spoor::agent::builtin
