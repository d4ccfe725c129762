#pragma once

#include <string>

namespace spoor::agent::builtin {

/// The newest version of Landlock's rules that is used here.
constexpr int kNewestLandlock = 6;

/// Ways to have processes, files and network of one's own.
enum class Namespaces {
  any,      ///< the best that can be had
  of_user,  ///< those that a user without privileges may have
  none,
};

/// What confinement may use at most. For tests, which show what older kernels do.
struct MostConfinement {
  int landlock = kNewestLandlock;
  bool seccomp = true;
  Namespaces namespaces = Namespaces::any;
};

/// What confines a command. A part that is not there is not in force.
struct Confinement {
  int landlock = 0;         ///< the version of its rules (landlock.h); 0: none
  bool seccomp = false;     ///< a filter of system calls (call_filter.h)
  bool namespaces = false;  ///< processes, files and network of its own

  /// `Landlock 6, seccomp, namespaces`, or `nothing`.
  std::string text() const;
  /// What a command can do because something is not in force, in one line; empty: nothing.
  std::string weakness() const;

  bool operator==(const Confinement&) const = default;
};

}  // namespace spoor::agent::builtin
