// Any bytes as a ZIP archive: each file comes out with the size and checksum that the directory
// says, or not at all; and no more memory is taken than was allowed.

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "import/zip.h"

namespace {

constexpr std::size_t kMost = 1U << 20U;

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using spoor::import::ZipArchive;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string_view first;
  const bool looks_so = spoor::import::is_zip(bytes, first);
  require(!looks_so || first.size() <= size);
  const auto archive = ZipArchive::open(bytes);
  if (!archive) {
    require(archive.error().code == spoor::Error::Code::invalid);
    return 0;
  }
  for (const ZipArchive::Entry& entry : archive->entries()) {
    require(archive->find(entry.name) == &entry);
    const auto text = archive->read(entry, kMost);
    if (!text) {
      require(text.error().code == spoor::Error::Code::invalid);
      continue;
    }
    require(text->size() == entry.size && entry.size <= kMost);
    const auto* begin = reinterpret_cast<const Bytef*>(text->data());
    require(crc32(0, begin, static_cast<uInt>(text->size())) == entry.crc);
  }
  return 0;
}
