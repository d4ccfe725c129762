#include "import/zip.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

namespace spoor::import {
namespace {

constexpr std::string_view kLocalMark = "PK\x03\x04";
constexpr std::string_view kEntryMark = "PK\x01\x02";
constexpr std::string_view kEndMark = "PK\x05\x06";
constexpr std::string_view kLongEndMark = "PK\x06\x06";
constexpr std::string_view kLocatorMark = "PK\x06\x07";
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kLongEndSize = 56;
constexpr std::size_t kLocatorSize = 20;
constexpr std::size_t kMostComment = 0xffff;
constexpr std::uint64_t kInLongField = 0xffffffff;  // "See the zip64 record."
constexpr std::uint64_t kLongRecord = 1;

constexpr std::uint64_t kStored = 0;
constexpr std::uint64_t kDeflated = 8;
constexpr std::uint64_t kZstd = 93;
constexpr std::uint64_t kEncrypted = 1;

constexpr std::size_t kFirstRoom = 64U << 10U;
constexpr std::uint64_t kMostFiles = 1'000'000;

Error damaged(std::string_view what) {
  return invalid(fmt::format("the archive is damaged: {}", what),
                 "create it again, or unpack it with a tool that repairs archives");
}

/// Returns a little-endian number. The caller has checked the size.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t number = 0;
  for (std::size_t i = width; i > 0; --i) {
    number = number << 8U | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return number;
}

bool has(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

/// Returns a record of at least `size` bytes that begins with `mark`.
std::optional<std::string_view> record_at(std::string_view bytes, std::uint64_t at,
                                          std::string_view mark, std::size_t size) {
  if (!has(bytes, at, size) || !bytes.substr(at).starts_with(mark)) return std::nullopt;
  return bytes.substr(at);
}

struct Directory {
  std::uint64_t count = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

/// Finds the directory from the end record. A comment may follow that record.
std::optional<Directory> find_directory(std::string_view bytes) {
  if (bytes.size() < kEndSize) return std::nullopt;
  const std::size_t last = bytes.size() - kEndSize;
  const std::size_t first = last - std::min(last, kMostComment);
  for (std::size_t at = last + 1; at-- > first;) {
    const auto end = record_at(bytes, at, kEndMark, kEndSize);
    if (!end || number_at(*end, 20, 2) > end->size() - kEndSize) continue;
    const auto locator = at < kLocatorSize
                             ? std::nullopt
                             : record_at(bytes, at - kLocatorSize, kLocatorMark, kLocatorSize);
    if (!locator) {
      return Directory{number_at(*end, 10, 2), number_at(*end, 12, 4), number_at(*end, 16, 4)};
    }
    const auto longer = record_at(bytes, number_at(*locator, 8, 8), kLongEndMark, kLongEndSize);
    if (!longer) return std::nullopt;
    return Directory{number_at(*longer, 32, 8), number_at(*longer, 40, 8),
                     number_at(*longer, 48, 8)};
  }
  return std::nullopt;
}

/// Reads the fields that do not fit into 32 bits from the zip64 record in `extra`.
void read_long_fields(std::string_view extra, ZipArchive::Entry& entry) {
  while (extra.size() >= 4) {
    const std::uint64_t id = number_at(extra, 0, 2);
    const std::size_t size = number_at(extra, 2, 2);
    if (size > extra.size() - 4) return;
    std::string_view record = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != kLongRecord) continue;
    for (std::uint64_t* field : {&entry.size, &entry.packed, &entry.offset}) {
      if (*field != kInLongField || record.size() < 8) continue;
      *field = number_at(record, 0, 8);
      record.remove_prefix(8);
    }
  }
}

/// Adds room at the end of `bytes`, up to `most` in total.
void grow(std::string& bytes, std::size_t most) {
  bytes.resize(std::min(most, std::max(kFirstRoom, bytes.size() * 2)));
}

class Inflater {
 public:
  Inflater() {
    ready_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
  }  // Raw deflate, without a header.
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Returns the `size` unpacked bytes; nullopt if there are more, or fewer, or if they are
  /// damaged.
  std::optional<std::string> unpack(std::string_view packed, std::size_t size) {
    if (!ready_ || packed.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
    std::string bytes;
    // The zlib interface does not use const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    std::size_t done = 0;
    while (true) {
      if (done == bytes.size()) grow(bytes, size + 1);
      stream_.next_out = reinterpret_cast<Bytef*>(bytes.data() + done);
      stream_.avail_out = static_cast<uInt>(bytes.size() - done);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      done = bytes.size() - stream_.avail_out;
      if (done > size || (status != Z_OK && status != Z_STREAM_END)) return std::nullopt;
      if (status == Z_STREAM_END) break;
    }
    if (done != size) return std::nullopt;
    bytes.resize(size);
    return bytes;
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

/// Does the same for zstd, with one frame or several.
std::optional<std::string> unpack_zstd(std::string_view packed, std::size_t size) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  if (!context) return std::nullopt;
  std::string bytes;
  std::size_t done = 0;
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  std::size_t wants = 1;  // 0 at the end of a frame.
  while (in.pos < in.size || wants != 0) {
    if (done == bytes.size()) grow(bytes, size + 1);
    ZSTD_outBuffer out = {bytes.data(), bytes.size(), done};
    const std::size_t before = in.pos;
    wants = ZSTD_decompressStream(context.get(), &out, &in);
    const bool is_stuck = in.pos == before && out.pos == done;
    done = out.pos;
    if (ZSTD_isError(wants) != 0 || done > size || is_stuck) return std::nullopt;
  }
  if (done != size) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

std::optional<std::string> unpack(const ZipArchive::Entry& entry, std::string_view packed) {
  const auto size = static_cast<std::size_t>(entry.size);
  if (entry.method == kDeflated) return Inflater().unpack(packed, size);
  if (entry.method == kZstd) return unpack_zstd(packed, size);
  if (packed.size() != size) return std::nullopt;
  return std::string(packed);
}

}  // namespace

std::string ZipArchive::Entry::shown_name() const {
  constexpr std::size_t kMost = 80;
  std::string shown = name.substr(0, kMost);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return name.size() > kMost ? shown + "..." : shown;
}

Result<ZipArchive> ZipArchive::open(std::string bytes) {
  ZipArchive archive(std::move(bytes));
  TRY(archive.read_directory());
  return archive;
}

Result<void> ZipArchive::read_directory() {
  const std::string_view bytes = bytes_;
  const auto directory = find_directory(bytes);
  if (!directory || !has(bytes, directory->offset, directory->size)) {
    return damaged("it has no directory; it may be cut off");
  }
  std::string_view rest = bytes.substr(directory->offset, directory->size);
  if (directory->count > kMostFiles) return damaged("it has more than a million files");
  for (std::uint64_t i = 0; i < directory->count; ++i) {
    const auto record = record_at(rest, 0, kEntryMark, kEntrySize);
    if (!record) return damaged("its directory is shorter than its size");
    Entry entry;
    entry.flags = number_at(*record, 8, 2);
    entry.method = number_at(*record, 10, 2);
    entry.crc = number_at(*record, 16, 4);
    entry.packed = number_at(*record, 20, 4);
    entry.size = number_at(*record, 24, 4);
    entry.offset = number_at(*record, 42, 4);
    const std::size_t name = number_at(*record, 28, 2);
    const std::size_t extra = number_at(*record, 30, 2);
    const std::size_t whole = kEntrySize + name + extra + number_at(*record, 32, 2);
    if (whole > rest.size()) return damaged("its directory is shorter than its size");
    entry.name = record->substr(kEntrySize, name);
    read_long_fields(record->substr(kEntrySize + name, extra), entry);
    rest.remove_prefix(whole);
    const auto [place, is_new] = places_.try_emplace(entry.name, entries_.size());
    if (is_new) {
      entries_.push_back(std::move(entry));
    } else {
      entries_[place->second] = std::move(entry);
    }
  }
  return check_apart();
}

/// Checks that files do not share bytes. Otherwise a small archive could unpack to any size.
Result<void> ZipArchive::check_apart() const {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](const Entry* a, const Entry* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::uint64_t apart = order[i]->offset - order[i - 1]->offset;
    if (apart < kLocalSize || apart - kLocalSize < order[i - 1]->packed) {
      return damaged("its files overlap");
    }
  }
  return {};
}

const ZipArchive::Entry* ZipArchive::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &entries_[found->second];
}

Result<std::string_view> ZipArchive::packed_bytes(const Entry& entry) const {
  const std::string_view bytes = bytes_;
  const auto header = record_at(bytes, entry.offset, kLocalMark, kLocalSize);
  if (!header) return damaged(fmt::format("'{}' is not at its offset", entry.shown_name()));
  const std::uint64_t front = kLocalSize + number_at(*header, 26, 2) + number_at(*header, 28, 2);
  if (!has(*header, front, entry.packed))
    return damaged(fmt::format("'{}' is cut off", entry.shown_name()));
  return header->substr(front, entry.packed);
}

Result<std::string> ZipArchive::read(const Entry& entry, std::size_t most) const {
  if ((entry.flags & kEncrypted) != 0) {
    return invalid(fmt::format("'{}' is encrypted", entry.shown_name()),
                   "pack it again without a password");
  }
  if (entry.method != kStored && entry.method != kDeflated && entry.method != kZstd) {
    return invalid(fmt::format("'{}' is packed with method {}, which spoor does not read",
                               entry.shown_name(), entry.method),
                   "pack it again with deflate or zstd");
  }
  if (entry.size > most) {
    return invalid(fmt::format("'{}' is larger than {} MiB", entry.shown_name(), most >> 20U));
  }
  auto bytes = unpack(entry, TRY(packed_bytes(entry)));
  if (!bytes) return damaged(fmt::format("'{}' cannot be unpacked", entry.shown_name()));
  const auto* begin = reinterpret_cast<const Bytef*>(bytes->data());
  if (crc32(0, begin, static_cast<uInt>(bytes->size())) != entry.crc) {
    return damaged(fmt::format("'{}' has a wrong checksum", entry.shown_name()));
  }
  return std::move(*bytes);
}

bool is_zip(std::string_view head, std::string_view& first_name) {
  const auto header = record_at(head, 0, kLocalMark, kLocalSize);
  if (!header) return false;
  first_name = header->substr(kLocalSize, number_at(*header, 26, 2));
  return true;
}

}  // namespace spoor::import
