#include "tests/llm/http/raw_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <stdexcept>

namespace spoor::testing {
namespace {

/// The number behind `content-length:`, 0 without one.
std::size_t length_of_body(std::string_view head) {
  for (const std::string_view name : {"\r\ncontent-length: ", "\r\nContent-Length: "}) {
    const std::size_t at = head.find(name);
    if (at == std::string_view::npos) continue;
    std::size_t length = 0;
    const char* digits = head.data() + at + name.size();
    std::from_chars(digits, head.data() + head.size(), length);
    return length;
  }
  return 0;
}

}  // namespace

std::string RawServer::Connection::read_request() {
  std::string bytes = std::move(behind_);
  behind_.clear();
  while (true) {
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end != std::string::npos) {
      const std::size_t size = end + 4 + length_of_body(bytes.substr(0, end + 4));
      if (bytes.size() >= size) {
        behind_ = bytes.substr(size);
        return bytes.substr(0, size);
      }
    }
    std::array<char, 16384> buffer{};
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (got <= 0) return {};
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

bool RawServer::Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawServer::Connection::wait_for_close() {
  std::array<char, 4096> buffer{};
  while (::recv(socket_, buffer.data(), buffer.size(), 0) > 0) {
  }
}

void RawServer::Connection::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

RawServer::RawServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("no server on this machine");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread([this] { accept_all(); });
}

RawServer::~RawServer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    const std::scoped_lock lock(mutex_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  threads_.clear();
  for (const int socket : sockets_) ::close(socket);
}

void RawServer::accept_all() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const std::scoped_lock lock(mutex_);
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

void RawServer::serve(int socket) {
  Connection connection(socket);
  while (true) {
    const std::string request = connection.read_request();
    if (request.empty()) break;
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(request);
    }
    if (!handler_(connection, request)) break;
  }
  // The number stays taken until the server goes, so that nobody else's socket gets it.
  const int nothing = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ::dup3(nothing, socket, O_CLOEXEC);
  ::close(nothing);
}

std::string RawServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::size_t RawServer::connections() const {
  const std::scoped_lock lock(mutex_);
  return sockets_.size();
}

std::vector<std::string> RawServer::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

std::string response(std::string_view status, std::string_view body, std::string_view headers) {
  std::string out = "HTTP/1.1 ";
  out += status;
  out += "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  out += headers;
  out += "\r\n";
  out += body;
  return out;
}

}  // namespace spoor::testing
