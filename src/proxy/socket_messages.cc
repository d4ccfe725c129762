#include "proxy/socket_messages.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace spoor::proxy {
namespace {

constexpr unsigned kFinal = 0x80;       // In the first byte,
constexpr unsigned kCompressed = 0x40;  // RSV1,
constexpr unsigned kReserved = 0x30;    // RSV2, RSV3,
constexpr unsigned kOpcode = 0x0f;
constexpr unsigned kMasked = 0x80;  // … in the second.
constexpr unsigned kContinuation = 0;
constexpr unsigned kFirstControl = 8;

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// The size of a head that begins with two bytes.
std::size_t head_size(std::string_view head) {
  const unsigned length = byte_at(head, 1) & ~kMasked;
  const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
  return 2 + more + ((byte_at(head, 1) & kMasked) != 0 ? 4 : 0);
}

}  // namespace

/// The inflating half of permessage-deflate. Its window goes on from message to message: an end
/// that begins anew each time refers to nothing before.
class SocketMessages::Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, -15) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends at most `most` bytes in all to `out`; `is_too_long` says if there were more. False: not
  // deflated.
  bool inflate(std::string_view part, std::size_t most, std::string& out, bool& is_too_long) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    std::array<char, 16U << 10U> buffer;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      const int code = ::inflate(&stream_, Z_SYNC_FLUSH);
      if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END) return false;
      const std::size_t size = buffer.size() - stream_.avail_out;
      is_too_long = is_too_long || size > most - out.size();
      if (!is_too_long) out.append(buffer.data(), size);
      if (code == Z_STREAM_END && inflateReset(&stream_) != Z_OK) return false;
      if (code == Z_BUF_ERROR) break;
    } while (stream_.avail_in > 0 || stream_.avail_out == 0);
    return true;
  }

 private:
  z_stream stream_{};
};

SocketMessages::SocketMessages(std::size_t most, OnMessage on_message)
    : most_(most), on_message_(std::move(on_message)) {}
SocketMessages::~SocketMessages() = default;
SocketMessages::SocketMessages(SocketMessages&&) noexcept = default;

bool SocketMessages::read(std::string_view bytes) {
  while (!is_broken_ && !bytes.empty()) {
    if (!is_in_frame_) {
      const std::size_t wanted = head_.size() < 2 ? 2 : head_size(head_);
      const std::size_t more = std::min(wanted - head_.size(), bytes.size());
      head_.append(bytes.substr(0, more));
      bytes.remove_prefix(more);
      if (head_.size() < 2 || head_.size() < head_size(head_)) continue;
      is_broken_ = !read_head();
    } else {
      const std::size_t part = std::min<std::uint64_t>(left_, bytes.size());
      read_payload(bytes.substr(0, part));
      bytes.remove_prefix(part);
    }
    if (!is_broken_ && is_in_frame_ && left_ == 0) is_broken_ = !end_frame();
  }
  return !is_broken_;
}

// Reads a whole head. False: there is none like it.
bool SocketMessages::read_head() {
  const unsigned first = byte_at(head_, 0);
  const unsigned opcode = first & kOpcode;
  const std::size_t size = head_.size();
  const bool is_masked = (byte_at(head_, 1) & kMasked) != 0;
  left_ = byte_at(head_, 1) & ~kMasked;
  if (left_ >= 126) {
    const std::size_t digits = left_ == 126 ? 2 : 8;
    left_ = 0;
    for (std::size_t i = 0; i < digits; ++i) left_ = left_ << 8U | byte_at(head_, 2 + i);
  }
  mask_ = 0;
  for (std::size_t i = 0; is_masked && i < 4; ++i)
    mask_ = mask_ << 8U | byte_at(head_, size - 4 + i);
  masked_ = 0;
  head_.clear();
  is_in_frame_ = true;
  is_final_ = (first & kFinal) != 0;
  is_control_ = opcode >= kFirstControl;
  if ((first & kReserved) != 0 || left_ >> 63U != 0) return false;
  if (is_control_) return is_final_ && left_ <= 125;
  const bool goes_on = opcode == kContinuation;
  if (goes_on != is_in_message_ || opcode > 2) return false;
  if (!goes_on) is_compressed_ = (first & kCompressed) != 0;
  is_in_message_ = true;
  return true;
}

void SocketMessages::read_payload(std::string_view part) {
  left_ -= part.size();
  if (is_control_) return;
  std::string plain(part);
  if (mask_ != 0) {
    for (char& c : plain) {
      const std::uint32_t mask = mask_ >> (24U - 8U * masked_);
      c = static_cast<char>(static_cast<unsigned char>(c) ^ static_cast<unsigned char>(mask));
      masked_ = (masked_ + 1) % 4;
    }
  }
  if (is_compressed_) {
    if (!inflater_) inflater_ = std::make_unique<Inflater>();
    is_broken_ = !inflater_->inflate(plain, most_, message_, is_too_long_);
    return;
  }
  is_too_long_ = is_too_long_ || plain.size() > most_ - message_.size();
  if (!is_too_long_) message_.append(plain);
}

bool SocketMessages::end_frame() {
  is_in_frame_ = false;
  if (is_control_ || !is_final_) return true;
  if (is_compressed_) {
    constexpr std::string_view kTail("\0\0\xff\xff",
                                     4);  // Left out by its sender (RFC 7692, 7.2.1).
    if (!inflater_) inflater_ = std::make_unique<Inflater>();
    if (!inflater_->inflate(kTail, most_, message_, is_too_long_)) return false;
  }
  is_in_message_ = false;
  const bool is_whole = !std::exchange(is_too_long_, false);
  if (!is_whole) message_.clear();
  on_message_(std::exchange(message_, {}), is_whole);
  return true;
}

}  // namespace spoor::proxy
