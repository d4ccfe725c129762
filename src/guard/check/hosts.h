#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/shell.h"

namespace spoor::guard::check {

/// A host that is asked.
struct Host {
  std::string name;  ///< small letters; of IPv6 without brackets; empty: nobody knows which
  std::string port;  ///< empty: the usual one
  std::string text;  ///< the word that says it

  bool operator==(const Host&) const = default;
};

/// The host of an address, whatever its scheme, the user before it passed over.
Host host_of_url(std::string_view url);

/// Is it among `allowed` (`example.com`, `example.com:8080`, `*.example.com`), or this machine?
bool is_allowed(const Host& host, const std::vector<std::string>& allowed);

/// What a word is taken for: an address, or one that nobody knows.
Host host_of_word(const Word& word);

/// `host`, `host:port`, `[v6]:port`, with a user before it; `text`: the word that says it.
Host host_of_authority(std::string_view authority, std::string_view text);

/// Does a text begin as `https://` does?
bool has_scheme(std::string_view text);

}  // namespace spoor::guard::check
