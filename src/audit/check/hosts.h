#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/check/commands.h"

namespace spoor::audit::check {

/// A host that is asked.
struct Host {
  std::string name;  ///< small letters; of IPv6 without brackets; empty: nobody knows which
  std::string port;  ///< empty: the usual one
  std::string text;  ///< the word that says it

  bool operator==(const Host&) const = default;
};

/// The host of an address, whatever its scheme, the user before it passed over.
Host host_of_url(std::string_view url);

/// The hosts that a command asks, as far as its words tell: of `curl`, `wget`, `ssh`, `scp`,
/// `rsync`, `git clone` and their like, of addresses in code that an interpreter is given
/// (`python3 -c`), and of `/dev/tcp/HOST/PORT`. A word that merely mentions an address (of `echo`,
/// `grep`, `git commit -m`) asks nobody.
std::vector<Host> hosts_of(const Command& command);

/// Is it among `allowed` (`example.com`, `example.com:8080`, `*.example.com`), or this machine?
bool is_allowed(const Host& host, const std::vector<std::string>& allowed);

}  // namespace spoor::audit::check
