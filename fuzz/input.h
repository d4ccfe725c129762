#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fuzz {

/// Takes an input apart from its front. Behind the end all bytes are zero.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool is_done() const { return rest_.empty(); }

  unsigned byte() {
    const std::string_view one = bytes(1);
    return one.empty() ? 0 : static_cast<unsigned char>(one.front());
  }

  /// Of so many bytes, the lowest first.
  std::uint64_t number(std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }

  /// At most so many.
  std::string_view bytes(std::size_t count) {
    const std::string_view front = rest_.substr(0, count);
    rest_.remove_prefix(front.size());
    return front;
  }

 private:
  std::string_view rest_;
};

}  // namespace fuzz
