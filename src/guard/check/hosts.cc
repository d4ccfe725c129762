#include "guard/check/hosts.h"

#include <algorithm>

#include "base/text.h"

namespace spoor::guard::check {
namespace {

bool is_of_host(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("-._:[]").find(c) != std::string_view::npos ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

// Returns true if the part that decides the host is literal: `https://good.com/$x`, not `$x/y`,
// `a.$x`.
bool has_certain_host(const Word& word) {
  if (word.is_certain && !word.is_pattern) return true;
  const std::string_view url = word.text;
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  return end < url.size() && url.substr(0, end).find_first_of("$`{") == std::string_view::npos;
}

}  // namespace

bool has_scheme(std::string_view text) {
  const std::size_t at = text.find("://");
  return at != std::string_view::npos && at > 0 &&
         text.substr(0, at).find_first_of("/ =$") == std::string_view::npos;
}

Host host_of_authority(std::string_view authority, std::string_view text) {
  Host host;
  host.text = text;
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    authority.remove_prefix(at + 1);
  }
  const std::string small = lowered(authority);
  if (!std::all_of(small.begin(), small.end(), is_of_host)) return host;
  std::size_t colon = small.rfind(':');
  if (small.starts_with('[')) {
    const std::size_t end = std::min(small.find(']'), small.size());
    host.name = small.substr(1, end - 1);
    colon = small.find(':', end);
  } else {
    host.name = small.substr(0, colon);
  }
  while (host.name.ends_with('.')) host.name.pop_back();
  if (colon != std::string::npos) host.port = small.substr(colon + 1);
  return host;
}

Host host_of_word(const Word& word) {
  Host host = host_of_url(word.text);
  const bool is_known = !host.name.empty() && has_certain_host(word);
  return is_known ? host : Host{"", "", word.text};
}

Host host_of_url(std::string_view url) {
  std::string_view rest = url;
  if (const std::size_t at = url.find("://"); at != std::string_view::npos) {
    rest = url.substr(at + 3);
  }
  // A browser treats a backslash as a slash.
  return host_of_authority(rest.substr(0, rest.find_first_of("/?#\\")), url);
}

bool is_allowed(const Host& host, const std::vector<std::string>& allowed) {
  if (host.name == "localhost" || host.name.ends_with(".localhost") || host.name == "::1" ||
      host.name == "0.0.0.0") {
    return true;
  }
  // 127.0.0.0/8, in dotted form.
  if (host.name.starts_with("127.") &&
      host.name.find_first_not_of("0123456789.") == std::string::npos) {
    return true;
  }
  for (std::string_view pattern : allowed) {
    const std::size_t colon = pattern.rfind(':');
    if (colon != std::string_view::npos) {
      if (pattern.substr(colon + 1) != host.port) continue;
      pattern = pattern.substr(0, colon);
    }
    if (pattern.starts_with("*.")) {
      if (host.name.size() > pattern.size() - 1 && host.name.ends_with(pattern.substr(1))) {
        return true;
      }
    } else if (pattern == host.name) {
      return true;
    }
  }
  return false;
}

}  // namespace spoor::guard::check
