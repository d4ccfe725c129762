#include "base/random.h"

#include <cerrno>
#include <cstring>
#include <iterator>

#include <sys/random.h>
#include <unistd.h>

#include <fmt/format.h>

namespace spoor {

Result<std::string> random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    return io_error(
        fmt::format("cannot read random bytes from the system: {}", std::strerror(errno)));
  }
  return bytes;
}

Result<std::string> random_id() {
  constexpr std::size_t kIdBytes = 16;
  return hex_digits(TRY(random_bytes(kIdBytes)));
}

std::string hex_digits(std::string_view bytes) {
  std::string digits;
  for (const char c : bytes) {
    fmt::format_to(std::back_inserter(digits), "{:02x}", static_cast<unsigned char>(c));
  }
  return digits;
}

}  // namespace spoor
