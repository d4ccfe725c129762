#include "serve/wire.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/os/pipe.h"

namespace spoor::serve {
namespace {

Wire::Moved moved(ssize_t count) {
  const bool is_broken = count < 0 && errno != EAGAIN && errno != EINTR;
  return {count > 0 ? static_cast<std::size_t>(count) : 0, count == 0 || is_broken, is_broken};
}

Error lost() {
  return unavailable("the connection to the other store was lost",
                     "run the command again: it goes on where it was");
}

}  // namespace

Wire::Wire(int socket, Patience patience) : number_(socket), patience_(std::move(patience)) {}

Wire::Wire(std::unique_ptr<llm::http::ByteStream> stream, Patience patience)
    : stream_(std::move(stream)), number_(stream_->socket()), patience_(std::move(patience)) {}

Result<std::size_t> Wire::receive(std::span<char> into) {
  while (true) {
    TRY(check_cancelled());
    const Moved got = stream_ ? stream_->receive(into)
                              : moved(::recv(number_, into.data(), into.size(), MSG_DONTWAIT));
    if (got.bytes > 0) return got.bytes;
    if (got.is_broken) return lost();
    if (got.is_closed) return std::size_t{0};
    TRY(wait(POLLIN));
  }
}

Result<std::size_t> Wire::send(std::string_view bytes) {
  while (true) {
    TRY(check_cancelled());
    const Moved sent =
        stream_ ? stream_->send(bytes) : moved(os::send_quietly(number_, bytes, MSG_DONTWAIT));
    if (sent.bytes > 0) return sent.bytes;
    if (sent.is_closed) return lost();
    TRY(wait(POLLOUT));
  }
}

Result<void> Wire::check_cancelled() const {
  if (patience_.is_cancelled && patience_.is_cancelled()) return interrupted("stopped");
  return {};
}

bool Wire::is_stale() const {
  pollfd one{number_, POLLIN, 0};
  return ::poll(&one, 1, 0) != 0;
}

Result<void> Wire::wait(short events) const {
  constexpr std::chrono::milliseconds kSlice{200};
  auto end = std::chrono::steady_clock::now() + patience_.most;
  if (deadline_) end = std::min(end, *deadline_);
  while (true) {
    TRY(check_cancelled());
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      return unavailable("the other side has been silent for too long", "try again later");
    }
    pollfd one{number_, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::min(left, kSlice).count()));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) {
      return io_error(fmt::format("cannot wait for a connection: {}", std::strerror(errno)));
    }
  }
}

}  // namespace spoor::serve
