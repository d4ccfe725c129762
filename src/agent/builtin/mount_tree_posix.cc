#include "agent/builtin/mount_tree.h"

#include <cerrno>

namespace spoor::agent::builtin {

int MountTree::build() const noexcept { return ENOSYS; }

}  // namespace spoor::agent::builtin
