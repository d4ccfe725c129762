#include "sync/streams.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/big_endian.h"
#include "base/os/pipe.h"

namespace spoor::sync {
namespace {

constexpr std::size_t kMaxFrame = 1U << 20U;

Error lost(std::string_view why) {
  return unavailable(fmt::format("the connection to the other store was lost: {}", why),
                     "run the command again: it goes on where it was");
}

}  // namespace

// False if the stream ends before the first byte.
Result<bool> Streams::read_all(std::span<char> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    // Also while the other side keeps this one busy.
    if (is_cancelled_ && is_cancelled_()) return interrupted("stopped");
    const ssize_t count = ::read(in_, to.data() + done, to.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return lost(std::strerror(errno));
    if (count == 0 && done == 0) return false;
    if (count == 0) return lost("it ended too early");
    done += static_cast<std::size_t>(count);
  }
  return true;
}

Result<void> Streams::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    if (is_cancelled_ && is_cancelled_()) return interrupted("stopped");
    ssize_t count = os::send_quietly(out_, bytes);
    if (count < 0 && errno == ENOTSOCK) count = ::write(out_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return lost(std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> Streams::next_frame() {
  std::array<char, 4> length{};
  if (!TRY(read_all(length))) return lost("it ended too early");
  left_ = big_endian({length.data(), length.size()});
  if (left_ > kMaxFrame) return lost("a frame is too long");
  is_open_ = left_ > 0;
  return {};
}

Result<bool> Streams::has_next() {
  std::array<char, 4> length{};
  if (!TRY(read_all(length))) return false;
  left_ = big_endian({length.data(), length.size()});
  if (left_ > kMaxFrame) {
    return invalid("the other side does not speak this protocol",
                   "check the address, and that its shell prints nothing at login");
  }
  is_open_ = left_ > 0;
  return true;
}

Result<std::size_t> Streams::read(std::span<char> to) {
  if (!is_open_ || to.empty()) return std::size_t{0};
  const std::size_t count = std::min(left_, to.size());
  if (!TRY(read_all(to.first(count)))) return lost("it ended too early");
  left_ -= count;
  if (left_ == 0) TRY(next_frame());
  return count;
}

Result<void> Streams::skip() {
  std::array<char, 65'536> block{};
  while (TRY(read(block)) > 0) {
  }
  return {};
}

Result<void> Streams::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view frame = bytes.substr(0, kMaxFrame);
    std::string length;
    append_big_endian(length, frame.size(), 4);
    TRY(write_all(length));
    TRY(write_all(frame));
    bytes.remove_prefix(frame.size());
  }
  return {};
}

Result<void> Streams::end_message() { return write_all(std::string_view("\0\0\0\0", 4)); }

Result<ByteSource> SocketLink::ask(const std::function<Result<void>(const ByteSink&)>& write) {
  TRY(streams_.skip());  // The rest of the answer before.
  TRY(write([this](std::string_view bytes) { return streams_.write(bytes); }));
  TRY(streams_.end_message());
  if (!TRY(streams_.has_next())) return lost("it ended without an answer");
  return ByteSource([this](std::span<char> to) { return streams_.read(to); });
}

Result<void> answer_stream(Streams& streams, const AnswerRequest& answer) {
  const ByteSource request = [&](std::span<char> to) { return streams.read(to); };
  while (TRY(streams.has_next())) {
    TRY(answer(request, [&](std::string_view bytes) { return streams.write(bytes); }));
    TRY(streams.skip());
    TRY(streams.end_message());
  }
  return {};
}

Result<std::pair<Descriptor, Descriptor>> socket_pair() {
  std::array<int, 2> ends{};
  if (os::make_socket_pair(ends.data()) != 0) {
    return io_error(fmt::format("cannot make a pair of sockets: {}", std::strerror(errno)));
  }
  return std::pair(Descriptor(ends[0]), Descriptor(ends[1]));
}

}  // namespace spoor::sync
