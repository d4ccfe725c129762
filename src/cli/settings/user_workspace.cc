#include "cli/settings/user_workspace.h"

#include <array>

#include <pwd.h>
#include <unistd.h>

#include <fmt/format.h>

namespace spoor::cli {

std::string user_workspace() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const passwd* const user = ::getpwuid(::geteuid());
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : std::to_string(::geteuid()),
                     host.data());
}

}  // namespace spoor::cli
