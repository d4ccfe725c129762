#pragma once

#include <string>

#include <sys/types.h>

namespace spoor::os {

/// Stops other processes of this user from reading this process's memory, and disables core dumps
/// (PR_SET_DUMPABLE, prctl(2)). Elsewhere than on Linux it disables core dumps only, also those of
/// programs that are started afterwards.
void keep_memory_private();

/// In a child: lets the kernel kill it when the thread that forked it ends (PR_SET_PDEATHSIG).
/// Elsewhere than on Linux it does nothing: the child outlives its parent.
void die_with_parent();

/// Sets the priority of the calling thread, as nice(1) counts. Elsewhere than on Linux it does
/// nothing, since only whole processes have one.
void set_thread_nice(int level);

/// Names the moment at which a process began, in no unit: a later process of the same number has
/// another. Empty: there is no such process. Where the system cannot tell (not Linux, not macOS),
/// all have the same.
std::string begin_of_process(pid_t process);

}  // namespace spoor::os
