#include "base/os/pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace spoor::os {

int make_pipe(int ends[2], bool waits) {
  return ::pipe2(ends, O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
}

int make_socket(int family, bool waits) {
  return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | (waits ? 0 : SOCK_NONBLOCK), 0);
}

int make_socket_pair(int ends[2]) {
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

int accept_from(int listener) { return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); }

ssize_t send_quietly(int socket, std::string_view bytes, int flags) {
  return ::send(socket, bytes.data(), bytes.size(), flags | MSG_NOSIGNAL);
}

Peer peer_of(int socket) {
  pollfd seen{socket, POLLRDHUP, 0};
  if (::poll(&seen, 1, 0) <= 0) return Peer::here;
  return (seen.revents & (POLLERR | POLLHUP)) != 0 ? Peer::gone : Peer::silent;
}

}  // namespace spoor::os
