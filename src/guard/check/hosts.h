#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/shell.h"

namespace spoor::guard::check {

/// A host that is contacted.
struct Host {
  std::string name;  ///< small letters, IPv6 without brackets; empty: not known
  std::string port;  ///< empty: the usual one
  std::string text;  ///< the word that names it

  bool operator==(const Host&) const = default;
};

/// Returns the host of an address with any scheme, without the user before it.
Host host_of_url(std::string_view url);

/// Returns true if `host` is in `allowed` (`example.com`, `example.com:8080`, `*.example.com`) or
/// is this machine.
bool is_allowed(const Host& host, const std::vector<std::string>& allowed);

/// Returns the host that a word names, or an unknown host.
Host host_of_word(const Word& word);

/// Parses `host`, `host:port` or `[v6]:port`, with or without a user before it; `text` is the word
/// that contains it.
Host host_of_authority(std::string_view authority, std::string_view text);

/// Returns true if a text begins with a scheme such as `https://`.
bool has_scheme(std::string_view text);

}  // namespace spoor::guard::check
