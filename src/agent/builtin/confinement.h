#pragma once

#include <string>

namespace spoor::agent::builtin {

/// The newest version of Landlock that is used here.
constexpr int kNewestLandlock = 6;

/// How to give a command its own processes, files and network.
enum class Namespaces {
  any,      ///< the best available
  of_user,  ///< those available to a user without privileges
  none,
};

/// The most that confinement may use. For tests, which imitate older kernels.
struct MostConfinement {
  int landlock = kNewestLandlock;
  bool seccomp = true;
  Namespaces namespaces = Namespaces::any;
};

/// The parts of a command's confinement that are in force.
struct Confinement {
  int landlock = 0;         ///< the Landlock version (landlock.h); 0: none
  bool seccomp = false;     ///< a filter of system calls (call_filter.h)
  bool namespaces = false;  ///< own processes, files and network

  /// `Landlock 6, seccomp, namespaces`, or `nothing`.
  std::string text() const;
  /// Describes in one line what a command can do because a part is not in force; empty: nothing.
  std::string weakness() const;

  bool operator==(const Confinement&) const = default;
};

}  // namespace spoor::agent::builtin
