#include "agent/builtin/web_address.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace spoor::agent::builtin {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_of_host(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.'; }

bool is_of_ipv6(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || c == ':' || c == '.'; }

bool is_host(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    const std::string_view inside = host.substr(1, host.size() - 2);
    return std::all_of(inside.begin(), inside.end(), is_of_ipv6);
  }
  return !host.empty() && host.front() != '.' && std::all_of(host.begin(), host.end(), is_of_host);
}

std::string_view usual_port(std::string_view scheme) { return scheme == "http" ? "80" : "443"; }

}  // namespace

std::string WebAddress::text() const {
  const std::string named = port == usual_port(scheme) ? "" : ":" + port;
  return fmt::format("{}://{}{}{}", scheme, host, named, target);
}

Result<WebAddress> parse_web_address(std::string_view text) {
  const auto refused = [&](std::string_view why) {
    return invalid(fmt::format("'{}' is no web address: {}", text, why));
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f || c == '\\') {
      return refused("it has bytes in it that must be written as %XX");
    }
  }
  WebAddress address;
  const std::size_t colon = text.find("://");
  if (colon != std::string_view::npos) address.scheme = lowered(text.substr(0, colon));
  if (address.scheme != "http" && address.scheme != "https") {
    return refused("it begins with neither http:// nor https://");
  }
  std::string_view rest = text.substr(colon + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string authority = lowered(rest.substr(0, authority_end));
  address.target = rest.substr(authority_end);
  if (!address.target.starts_with('/')) address.target.insert(0, "/");
  if (authority.find('@') != std::string::npos) return refused("it names a user");

  const std::size_t bracket = authority.rfind(']');
  const std::size_t port = authority.find(':', bracket == std::string::npos ? 0 : bracket);
  address.host = authority.substr(0, port);
  if (!is_host(address.host)) return refused("it names no host");
  address.port = usual_port(address.scheme);
  if (port != std::string::npos && port + 1 < authority.size()) {
    address.port = authority.substr(port + 1);
    if (address.port.size() > 5 || address.port.front() == '0' ||
        !std::all_of(address.port.begin(), address.port.end(), is_digit) ||
        std::stoi(address.port) > 65'535) {
      return refused("its port is none");
    }
  }
  return address;
}

Result<WebAddress> follow(const WebAddress& base, std::string_view location) {
  const std::size_t path_end = std::min(base.target.find('?'), base.target.size());
  const std::string_view path = std::string_view(base.target).substr(0, path_end);
  const std::string root = WebAddress{base.scheme, base.host, base.port, ""}.text();
  if (location.starts_with("//"))
    return parse_web_address(fmt::format("{}:{}", base.scheme, location));
  if (location.starts_with('/')) return parse_web_address(fmt::format("{}{}", root, location));
  if (location.starts_with('?'))
    return parse_web_address(fmt::format("{}{}{}", root, path, location));
  const std::size_t colon = location.find(':');
  if (colon != std::string_view::npos && colon < location.find_first_of("/?#")) {
    return parse_web_address(location);
  }
  return parse_web_address(
      fmt::format("{}{}{}", root, path.substr(0, path.rfind('/') + 1), location));
}

bool is_allowed(const WebAddress& address, std::span<const std::string> hosts) {
  for (const std::string& allowed : hosts) {
    const std::string entry = lowered(allowed);
    const std::size_t bracket = entry.rfind(']');
    const std::size_t colon = entry.find(':', bracket == std::string::npos ? 0 : bracket);
    const std::string_view host = std::string_view(entry).substr(0, colon);
    const std::string_view port = colon == std::string::npos
                                      ? usual_port(address.scheme)
                                      : std::string_view(entry).substr(colon + 1);
    if (port != address.port) continue;
    if (host == address.host) return true;
    if (host.starts_with("*.") && host.size() > 2 && address.host.size() > host.size() - 1 &&
        address.host.ends_with(host.substr(1))) {
      return true;
    }
  }
  return false;
}

}  // namespace spoor::agent::builtin
