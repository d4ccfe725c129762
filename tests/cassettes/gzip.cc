#include "tests/cassettes/gzip.h"

#include <zlib.h>

#include <array>
#include <stdexcept>

namespace cassettes {

std::string unpacked(std::string_view bytes) {
  if (!bytes.starts_with("\x1F\x8B")) return std::string(bytes);

  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr std::size_t kMost = 64U << 20U;
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) throw std::runtime_error("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());

  std::string out;
  int status = Z_OK;
  while (status == Z_OK && out.size() <= kMost) {
    std::array<char, 1U << 16U> part{};
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("a gzip body that is damaged");
  return out;
}

}  // namespace cassettes
