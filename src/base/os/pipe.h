#pragma once

#include <string_view>

#include <sys/types.h>

namespace spoor::os {

// Pipes and sockets that are closed on exec. They return -1 and set errno. On Linux one system call
// makes each; elsewhere a second one closes it on exec, and a program that another thread starts
// between the two gets it.

/// Makes a pipe: ends[0] to read from. `waits`: false: neither end waits (O_NONBLOCK).
int make_pipe(int ends[2], bool waits = true);

/// Makes a stream socket of a family. `waits`: as above.
int make_socket(int family, bool waits = true);

/// Makes two connected local stream sockets.
int make_socket_pair(int ends[2]);

/// Accepts a connection; the socket waits.
int accept_from(int listener);

/// Sends like send(2), but a closed connection raises no SIGPIPE.
ssize_t send_quietly(int socket, std::string_view bytes, int flags = 0);

/// Whether the other side of a connection is there still.
enum class Peer {
  here,
  silent,  ///< it sends no more; it may still receive, or be gone
  gone,    ///< the connection is broken
};

/// Looks without waiting. Linux: POLLRDHUP of poll(2). Elsewhere the next byte decides, so a side
/// is `here` until what it sent has been read.
Peer peer_of(int socket);

}  // namespace spoor::os
