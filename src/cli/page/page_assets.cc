#include "cli/page/page_assets.h"

#include <stdexcept>

#include <zlib.h>

namespace spoor::cli::page {

std::string gzip(std::string_view bytes) {
  constexpr int kGzip = 15 + 16;  // The largest window, with the header of RFC 1952.
  constexpr int kMemory = 9;
  z_stream stream{};
  if (::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::logic_error("zlib cannot begin");
  }
  std::string out(::deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::logic_error("zlib cannot compress a file of the page");
  return out;
}

PageAssets::PageAssets() {
  for (const PageFile& file : page_files()) bytes_.push_back(gzip(file.bytes));
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    assets_.push_back({page_files()[i].path, page_files()[i].media_type, bytes_[i]});
  }
}

}  // namespace spoor::cli::page
