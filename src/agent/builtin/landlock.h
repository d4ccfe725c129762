#pragma once

#include <string>
#include <vector>

#include "agent/builtin/confinement.h"
#include "base/descriptor.h"
#include "base/result.h"

/// Landlock: kernel rules for what a process and its children may open, connect to and signal
/// (Linux, Documentation/userspace-api/landlock.rst). The kernel's numbers are repeated here so
/// that older headers suffice. Rules apply to inodes, by whatever path they are reached.
namespace spoor::agent::builtin {

/// Returns this kernel's Landlock version, at most kNewestLandlock: 1 (Linux 5.13) files; 2 (5.19)
/// moving between folders; 3 (6.2) truncating; 4 (6.7) TCP; 5 (6.10) devices; 6 (6.12) signals and
/// abstract sockets. 0: none.
int landlock_version();

/// A file, or a folder with everything below it.
struct LandlockRule {
  enum class May { read, write, use_device };  ///< read and execute; all; read, write and ioctl

  std::string path;
  May may = May::read;
};

/// Makes a rule set for enter_landlock() that allows only what `rules` allow. Skips paths that do
/// not exist. Without `network` no TCP port may be bound or connected to (version 4). Returns
/// Code::io.
Result<Descriptor> make_landlock(int version, const std::vector<LandlockRule>& rules, bool network);

/// These allocate nothing and may be called between fork and exec. They return 0 or an errno.
/// add_landlock() adds a rule for an open file or folder to a set.
int add_landlock(int set, int version, int file, LandlockRule::May may);
int enter_landlock(int set);  ///< confines the calling thread for good; needs PR_SET_NO_NEW_PRIVS

}  // namespace spoor::agent::builtin
