#include "base/os/pipe.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace spoor::os {
namespace {

#ifdef MSG_NOSIGNAL
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;
#endif

// Returns the descriptor, or -1 after closing it.
int prepared(int file, bool waits) {
  if (file < 0) return -1;
  const int flags = ::fcntl(file, F_GETFL);
  const int wanted = waits ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
  if (::fcntl(file, F_SETFD, FD_CLOEXEC) == 0 && flags >= 0 &&
      (wanted == flags || ::fcntl(file, F_SETFL, wanted) == 0)) {
    return file;
  }
  const int problem = errno;
  ::close(file);
  errno = problem;
  return -1;
}

int prepared(int ends[2], bool waits, int made) {
  if (made != 0) return -1;
  const int first = prepared(ends[0], waits);
  const int second = prepared(ends[1], waits);
  if (first >= 0 && second >= 0) return 0;
  if (first >= 0) ::close(first);
  if (second >= 0) ::close(second);
  return -1;
}

}  // namespace

int make_pipe(int ends[2], bool waits) { return prepared(ends, waits, ::pipe(ends)); }

int make_socket(int family, bool waits) {
  return prepared(::socket(family, SOCK_STREAM, 0), waits);
}

int make_socket_pair(int ends[2]) {
  return prepared(ends, true, ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}

// Some systems give the socket the flags of the listener.
int accept_from(int listener) { return prepared(::accept(listener, nullptr, nullptr), true); }

ssize_t send_quietly(int socket, std::string_view bytes, int flags) {
#ifdef SO_NOSIGPIPE
  // Older versions of macOS ignore MSG_NOSIGNAL.
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
  return ::send(socket, bytes.data(), bytes.size(), flags | kNoSignal);
}

Peer peer_of(int socket) {
  char next = 0;
  const ssize_t count = ::recv(socket, &next, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count == 0) return Peer::silent;
  if (count > 0 || errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return Peer::here;
  return Peer::gone;
}

}  // namespace spoor::os
