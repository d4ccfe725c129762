#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/check/commands.h"

namespace spoor::audit::check {

/// A host that is asked.
struct Host {
  std::string name;         ///< small letters; of IPv6 without brackets; empty: nobody knows which
  std::string port;         ///< empty: the usual one
  std::string text;         ///< the word that says it
  bool is_mention = false;  ///< it stands in code that does not look as if it asked anybody

  bool operator==(const Host&) const = default;
};

/// The host of an address, whatever its scheme, the user before it passed over.
Host host_of_url(std::string_view url);

/// The hosts that a command asks, as far as its words tell: of `curl`, `wget`, `ssh`, `scp`,
/// `rsync`, `git clone`, `docker push` and their like, of their proxies, of addresses in code that
/// an interpreter is given (`python3 -c`), and of `/dev/tcp/HOST/PORT`. One without a name where a
/// variable, a file of settings or a service of its own decides. A word that merely mentions an
/// address (of `echo`, `grep`, `git commit -m`) asks nobody.
std::vector<Host> hosts_of(const Command& command);

/// Is it among `allowed` (`example.com`, `example.com:8080`, `*.example.com`), or this machine?
bool is_allowed(const Host& host, const std::vector<std::string>& allowed);

}  // namespace spoor::audit::check
