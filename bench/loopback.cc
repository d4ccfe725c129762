// A client, a provider and a bare relay on 127.0.0.1.
#include "bench/loopback.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/workload.h"

namespace spoor::bench {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void set_no_delay(int socket) {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

int connect_to(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  must(socket >= 0 &&
           ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
       "cannot connect");
  set_no_delay(socket);
  return socket;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// The value of a field of a head; empty if it is not there. `name`: with `: `.
std::string_view field_of(std::string_view head, std::string_view name) {
  const std::size_t at = head.find(name);
  if (at == head.npos) return {};
  const std::string_view rest = head.substr(at + name.size());
  return rest.substr(0, rest.find("\r\n"));
}

std::size_t number_of(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void answer(Connection client) {
  constexpr std::size_t kBlock = std::size_t{1} << 20U;
  const std::string block(kBlock, ' ');
  std::string have;
  while (true) {
    std::size_t head = have.find("\r\n\r\n");
    while (head == have.npos) {
      const std::string_view part = client.receive();
      if (part.empty()) return;
      have.append(part);
      head = have.find("\r\n\r\n");
    }
    head += 4;
    const std::size_t length =
        number_of(field_of(std::string_view(have).substr(0, head), "Content-Length: "));
    std::string begin(field_of(std::string_view(have).substr(0, head), "Answer: "));
    const std::size_t want = std::max(
        number_of(field_of(std::string_view(have).substr(0, head), "Want: ")), begin.size());
    for (std::size_t got = have.size() - head; got < length;) {
      const std::string_view part = client.receive();
      if (part.empty()) return;
      got += part.size();
    }
    have.clear();  // The client waits for each answer.
    std::size_t left = want - begin.size();
    const std::size_t more = std::min(left, std::size_t{4096});
    begin.insert(0, fmt::format("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                "Content-Length: {}\r\n\r\n",
                                want));
    begin.append(more, ' ');
    bool is_open = send_all(client.socket(), begin);
    for (left -= more; is_open && left > 0;) {
      const std::size_t size = std::min(left, kBlock);
      is_open = send_all(client.socket(), std::string_view(block).substr(0, size));
      left -= size;
    }
    if (!is_open) return;
  }
}

void relay(int listener, int upstream) {
  std::vector<pollfd> all = {{listener, POLLIN, 0}};  // Then pairs: a client and its provider.
  std::vector<char> buffer(std::size_t{64} << 10U);
  while (::poll(all.data(), all.size(), -1) > 0) {
    for (std::size_t i = 1; i < all.size(); ++i) {
      if ((all[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      const std::size_t other = i % 2 == 1 ? i + 1 : i - 1;
      const ssize_t size = ::recv(all[i].fd, buffer.data(), buffer.size(), 0);
      if (size > 0 && send_all(all[other].fd,
                               std::string_view(buffer.data(), static_cast<std::size_t>(size)))) {
        continue;
      }
      const auto pair = all.begin() + static_cast<std::ptrdiff_t>(std::min(i, other));
      ::close(pair[0].fd);
      ::close(pair[1].fd);
      all.erase(pair, pair + 2);
      break;
    }
    if ((all[0].revents & POLLIN) == 0) continue;
    const int client = ::accept(listener, nullptr, nullptr);
    if (client < 0) continue;
    set_no_delay(client);
    all.push_back({client, POLLIN, 0});
    all.push_back({connect_to(upstream), POLLIN, 0});
  }
}

}  // namespace

Connection::Connection(int port) : socket_(connect_to(port)) {}

Connection::~Connection() {
  if (socket_ >= 0) ::close(socket_);
}

void Connection::send(std::string_view bytes) const {
  must(send_all(socket_, bytes), "a connection has ended");
}

std::string_view Connection::receive() {
  const ssize_t size = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
  return {buffer_.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

Listener::Listener() : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  must(::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
           ::listen(socket, 128) == 0 &&
           ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0,
       "cannot listen");
  port = ntohs(address.sin_port);
}

Provider::Provider() {
  thread_ = std::jthread([socket = listener_.socket] {
    std::vector<std::jthread> clients;
    while (true) {
      const int client = ::accept(socket, nullptr, nullptr);
      if (client < 0) return;
      set_no_delay(client);
      clients.emplace_back(answer, Connection::of(client));
    }
  });
}

Provider::~Provider() {
  ::shutdown(listener_.socket, SHUT_RDWR);  // accept() returns.
  thread_.join();
  ::close(listener_.socket);
}

BareRelay::BareRelay(int upstream) : process_(::fork()) {
  if (process_ != 0) return;
  relay(listener_.socket, upstream);
  ::_exit(1);
}

BareRelay::~BareRelay() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  ::close(listener_.socket);
}

}  // namespace spoor::bench
