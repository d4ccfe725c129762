#include "tests/store/cutting_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/big_endian.h"

namespace spoor::store {
namespace {

constexpr auto kFile = "/.s.PGSQL.5432";

sockaddr_un socket_at(const std::string& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (path.size() >= sizeof at.sun_path) throw std::runtime_error("a socket's path is too long");
  std::memcpy(at.sun_path, path.c_str(), path.size() + 1);
  return at;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(file, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// Appends what there is to read; false at the end.
bool read_some(int file, std::string& to) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::recv(file, bytes.data(), bytes.size(), 0);
  if (got > 0) to.append(bytes.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

// One client's connection and the one to the server.
struct CuttingProxy::Link {
  explicit Link(int client_file) : client(client_file) {}
  ~Link() {
    ::close(client);
    ::close(server);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  int client;
  int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool is_greeted = false;  // The first message has no type.
  bool is_deaf = false;     // The answer to the client is lost.
  bool is_held = false;     // And the connection stays.
  std::string requests;
};

CuttingProxy::CuttingProxy(std::string address) : address_(std::move(address)) {
  const std::size_t begin = address_.find("host=") + 5;
  const std::size_t end = std::min(address_.find('&', begin), address_.size());
  server_ = address_.substr(begin, end - begin) + kFile;
  address_.replace(begin, end - begin, folder_.path());
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un at = socket_at(folder_.path() + kFile);
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
      ::listen(listener_, 64) != 0) {
    throw std::runtime_error("cannot listen");
  }
  threads_.emplace_back([this] { accept_clients(); });
}

CuttingProxy::~CuttingProxy() {
  is_done_ = true;
  threads_.front().join();  // Then no more are added.
  for (std::size_t i = 1; i < threads_.size(); ++i) threads_[i].join();
  ::close(listener_);
}

void CuttingProxy::cut_at(int trip, Cut how, const std::string& then) {
  const std::scoped_lock hold(mutex_);
  cut_at_ = trip;
  how_ = how;
  then_ = then;
}

// Counts a round trip.
std::optional<CuttingProxy::Cut> CuttingProxy::next_cut() {
  const std::scoped_lock hold(mutex_);
  if (++trips_ != cut_at_) return std::nullopt;
  refused_with_ = then_;
  return how_;
}

void CuttingProxy::refuse_with(const std::string& state) {
  const std::scoped_lock hold(mutex_);
  refused_with_ = state;
}

// Returns the message that refuses a connection; empty if none is refused.
std::string CuttingProxy::refusal() const {
  const std::scoped_lock hold(mutex_);
  if (refused_with_.empty()) return {};
  std::string fields;
  for (const std::string& each : {std::string("SFATAL"), std::string("VFATAL"), "C" + refused_with_,
                                  std::string("Mnot now")}) {
    fields.append(each).push_back('\0');
  }
  fields.push_back('\0');
  std::string message = "E";
  append_big_endian(message, fields.size() + 4, 4);
  return message + fields;
}

void CuttingProxy::accept_clients() {
  while (!is_done_) {
    pollfd ready{listener_, POLLIN, 0};
    if (::poll(&ready, 1, 20) <= 0) continue;
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const std::scoped_lock hold(mutex_);
    threads_.emplace_back([this, client] { pass_on(client); });
  }
}

void CuttingProxy::pass_on(int client) {
  Link link(client);
  const sockaddr_un at = socket_at(server_);
  if (::connect(link.server, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return;
  while (!is_done_) {
    if (const std::string refused = link.is_deaf ? "" : refusal(); !refused.empty()) {
      if (!link.is_greeted) (void)read_some(client, link.requests);
      (void)write_all(client, refused);
      return;
    }
    std::array<pollfd, 2> ready{{{client, POLLIN, 0}, {link.server, POLLIN, 0}}};
    if (::poll(ready.data(), 2, 20) <= 0) continue;
    if (ready[1].revents != 0) {
      std::string answers;
      if (!read_some(link.server, answers)) return;
      if (!link.is_held && (link.is_deaf || !write_all(client, answers))) return;
    }
    if (ready[0].revents == 0) continue;
    if (!read_some(client, link.requests) || !pass_requests(link)) return;
  }
}

// Passes on whole messages. False: the connection is cut.
bool CuttingProxy::pass_requests(Link& link) {
  while (true) {
    const std::size_t head = link.is_greeted ? 1 : 0;
    if (link.requests.size() < head + 4) return true;
    const std::size_t size = head + big_endian(std::string_view(link.requests).substr(head, 4));
    if (link.requests.size() < size) return true;
    const bool is_trip = link.is_greeted && link.requests[0] == 'S';  // Sync.
    const auto cut = is_trip ? next_cut() : std::nullopt;
    const Cut how = cut.value_or(Cut::before);
    if (cut && how == Cut::before) return false;
    if (cut && how == Cut::late) {
      ::shutdown(link.client, SHUT_RDWR);
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
    }
    if (!write_all(link.server, link.requests.substr(0, size))) return false;
    link.is_deaf = link.is_deaf || cut.has_value();
    link.is_held = link.is_held || how == Cut::never;
    link.is_greeted = true;
    link.requests.erase(0, size);
  }
}

}  // namespace spoor::store
