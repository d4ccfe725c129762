#pragma once

// Writes ZIP archives for tests, as PKWARE's APPNOTE.TXT has them.

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace import_test {

enum class Packing { stored = 0, deflated = 8, lzma = 14, zstd = 93 };

struct ZipFile {
  std::string name;
  std::string text;
};

struct ZipStyle {
  Packing packing = Packing::deflated;
  bool is_long = false;  // With zip64 records wherever there may be one.
  std::string comment = {};
};

inline std::string little(std::uint64_t number, std::size_t width) {
  std::string bytes;
  for (; width > 0; --width, number >>= 8U) bytes += static_cast<char>(number & 0xffU);
  return bytes;
}

inline std::string deflated(std::string_view text) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// In two frames, as writers that end one now and then make them.
inline std::string in_zstd(std::string_view text) {
  std::string all;
  const std::size_t half = text.size() / 2;
  for (const std::string_view part : {text.substr(0, half), text.substr(half)}) {
    std::string frame(ZSTD_compressBound(part.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), part.data(), part.size(), 3));
    all += frame;
  }
  return all;
}

inline std::string zip_of(const std::vector<ZipFile>& files, const ZipStyle& style = {}) {
  const std::uint64_t kInLong = 0xffffffff;
  std::string all;
  std::string directory;
  for (const ZipFile& file : files) {
    std::string packed = file.text;
    if (style.packing == Packing::deflated) packed = deflated(file.text);
    if (style.packing == Packing::zstd) packed = in_zstd(file.text);
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(file.text.data()),
                           static_cast<uInt>(file.text.size()));
    const std::string front = little(20, 2) + little(0, 2) +
                              little(static_cast<std::uint64_t>(style.packing), 2) + little(0, 4) +
                              little(crc, 4);
    const std::string sizes = little(packed.size(), 4) + little(file.text.size(), 4);
    const std::string unknown = little(0x5455, 2) + little(5, 2) + "\x01" + little(7, 4);
    std::string extra = unknown;
    if (style.is_long) {
      extra += little(1, 2) + little(24, 2) + little(file.text.size(), 8) +
               little(packed.size(), 8) + little(all.size(), 8);
    }
    directory += "PK\x01\x02" + little(20, 2) + front +
                 (style.is_long ? little(kInLong, 4) + little(kInLong, 4) : sizes) +
                 little(file.name.size(), 2) + little(extra.size(), 2) + little(2, 2) +
                 little(0, 8) + little(style.is_long ? kInLong : all.size(), 4) + file.name +
                 extra + "ok";
    all += "PK\x03\x04" + front + sizes + little(file.name.size(), 2) + little(unknown.size(), 2) +
           file.name + unknown + packed;
  }
  const std::uint64_t begin = all.size();
  all += directory;
  if (style.is_long) {
    const std::uint64_t end = all.size();
    all += "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
           little(files.size(), 8) + little(files.size(), 8) + little(directory.size(), 8) +
           little(begin, 8);
    all += "PK\x06\x07" + little(0, 4) + little(end, 8) + little(1, 4);
  }
  const std::uint64_t count = style.is_long ? 0xffff : files.size();
  all += "PK\x05\x06" + little(0, 4) + little(count, 2) + little(count, 2) +
         little(style.is_long ? kInLong : directory.size(), 4) +
         little(style.is_long ? kInLong : begin, 4) + little(style.comment.size(), 2) +
         style.comment;
  return all;
}

}  // namespace import_test
