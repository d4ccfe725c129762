#include "proxy/loopback.h"

#include <arpa/inet.h>

#include <charconv>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace spoor::proxy {
namespace {

bool is_this_machine(std::string_view host) {
  const std::size_t port = host.rfind(':');
  const bool has_port = port != std::string_view::npos && host.find(']', port) == host.npos;
  const std::string name = lowered(has_port ? host.substr(0, port) : host);
  in_addr address{};
  if (::inet_pton(AF_INET, name.c_str(), &address) == 1) {
    return (ntohl(address.s_addr) >> 24U) == 127;
  }
  return name == "localhost" || name == "[::1]";
}

}  // namespace

Result<sockaddr_in> read_listener(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string host(text.substr(0, colon));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  std::uint16_t port = 0;
  const std::string_view digits = colon == text.npos ? "" : text.substr(colon + 1);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool is_read = problem == std::errc() && end == digits.data() + digits.size() &&
                       ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1;
  if (!is_read) {
    return invalid(fmt::format("cannot listen at '{}'", text), "write 127.0.0.1:PORT");
  }
  if ((ntohl(address.sin_addr.s_addr) >> 24U) != 127) {
    return denied(fmt::format("cannot listen at '{}': others could ask there", text),
                  "your keys or texts pass through here: it listens at 127.0.0.1 only");
  }
  address.sin_port = htons(port);
  return address;
}

bool may_ask(std::string_view host, std::string_view origin) {
  if (!is_this_machine(host)) return false;
  const std::size_t begin = origin.find("://");
  return origin.empty() ||
         (begin != std::string_view::npos && is_this_machine(origin.substr(begin + 3)));
}

}  // namespace spoor::proxy
