#include "cli/git/pack.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include <unistd.h>
#include <zlib.h>

#include <fmt/format.h>

#include "base/big_endian.h"
#include "base/os/durable.h"

namespace spoor::cli::git {
namespace {

constexpr std::size_t kBuffer = 64U << 10U;
constexpr std::uint64_t kLongOffset = std::uint64_t{1} << 31U;

template <class Number>
void append_number(std::string& out, Number number) {
  append_big_endian(out, number, sizeof(Number));
}

// Returns the header of an object: its kind and size, four and then seven bits a byte, the highest
// bit set if more bytes follow.
std::string object_head(Kind kind, std::uint64_t size) {
  std::string head;
  auto byte = static_cast<unsigned>(static_cast<unsigned>(kind) << 4U | (size & 15U));
  for (size >>= 4U; size > 0; size >>= 7U) {
    head += static_cast<char>(byte | 0x80U);
    byte = static_cast<unsigned>(size & 0x7fU);
  }
  head += static_cast<char>(byte);
  return head;
}

std::string pack_head(std::uint32_t objects) {
  std::string head = "PACK";
  append_number(head, std::uint32_t{2});
  append_number(head, objects);
  return head;
}

Error cannot_write(const std::string& path) {
  return io_error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)),
                  "check the free space of the disk and the permissions of the folder");
}

}  // namespace

struct PackWriter::Deflater {
  Deflater() {
    if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  z_stream stream{};
  std::array<char, kBuffer> buffer;
};

PackWriter::PackWriter(std::string folder)
    : folder_(std::move(folder)),
      draft_(folder_ + "/pack.draft"),
      deflater_(std::make_unique<Deflater>()) {}

PackWriter::~PackWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  ::unlink(draft_.c_str());
}

Error PackWriter::failed() const { return cannot_write(draft_); }

Result<std::unique_ptr<PackWriter>> PackWriter::create(const std::string& folder) {
  std::unique_ptr<PackWriter> writer(new PackWriter(folder));
  writer->file_ = std::fopen(writer->draft_.c_str(), "wbx+e");
  if (writer->file_ == nullptr) return writer->failed();
  std::uint32_t ignored = 0;
  TRY(writer->write(pack_head(0), ignored));  // The count is known at the end.
  return writer;
}

Result<void> PackWriter::write(std::string_view bytes, std::uint32_t& crc) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) return failed();
  crc = static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  offset_ += bytes.size();
  return {};
}

Result<void> PackWriter::deflate(std::string_view bytes, std::uint32_t& crc) {
  z_stream& stream = deflater_->stream;
  deflateReset(&stream);
  for (bool is_last = false; !is_last;) {
    const std::string_view part = bytes.substr(0, std::numeric_limits<std::int32_t>::max());
    bytes.remove_prefix(part.size());
    is_last = bytes.empty();
    // zlib only reads this buffer, although its type is not const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream.avail_in = static_cast<uInt>(part.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(deflater_->buffer.data());
      stream.avail_out = static_cast<uInt>(kBuffer);
      ::deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
      TRY(write({deflater_->buffer.data(), kBuffer - stream.avail_out}, crc));
    } while (stream.avail_out == 0);
  }
  return {};
}

Result<GitOid> PackWriter::put(Kind kind, std::string_view bytes) {
  PackedObject place{.oid = name_object(kind, bytes), .crc = 0, .offset = offset_};
  if (known_.contains(place.oid)) return place.oid;
  if (places_.size() == std::numeric_limits<std::uint32_t>::max()) {
    return invalid("a pack contains at most 4,294,967,295 objects", "export fewer refs");
  }
  TRY(write(object_head(kind, bytes.size()), place.crc));
  TRY(deflate(bytes, place.crc));
  known_.insert(place.oid);
  places_.push_back(place);
  return place.oid;
}

// Writes the count and the hash of the whole pack. Reads the pack once more for the hash, since the
// count is at its start.
Result<GitOid> PackWriter::seal() {
  const std::string head = pack_head(static_cast<std::uint32_t>(places_.size()));
  if (std::fseek(file_, 0, SEEK_SET) != 0) return failed();
  if (std::fwrite(head.data(), 1, head.size(), file_) != head.size()) return failed();
  if (std::fseek(file_, 0, SEEK_SET) != 0) return failed();
  Sha1 hash;
  for (std::uint64_t left = offset_; left > 0;) {
    auto& buffer = deflater_->buffer;
    const std::size_t wanted = std::min<std::uint64_t>(left, buffer.size());
    if (std::fread(buffer.data(), 1, wanted, file_) != wanted) return failed();
    hash.add({buffer.data(), wanted});
    left -= wanted;
  }
  const GitOid name = hash.finish();
  if (std::fseek(file_, 0, SEEK_END) != 0) return failed();
  std::uint32_t ignored = 0;
  TRY(write(name.view(), ignored));
  if (std::fflush(file_) != 0 || os::sync_file(::fileno(file_)) != 0) return failed();
  return name;
}

Result<void> PackWriter::write_index(const std::string& path, const GitOid& pack) const {
  std::string index("\377tOc", 4);
  append_number(index, std::uint32_t{2});
  std::array<std::uint32_t, 256> up_to{};  // Names whose first byte is at most the index.
  for (const PackedObject& place : places_) ++up_to[place.oid.bytes[0]];
  std::uint32_t sum = 0;
  for (const std::uint32_t count : up_to) append_number(index, sum += count);
  for (const PackedObject& place : places_) index += place.oid.view();
  for (const PackedObject& place : places_) append_number(index, place.crc);
  std::string long_offsets;
  for (const PackedObject& place : places_) {
    if (place.offset < kLongOffset) {
      append_number(index, static_cast<std::uint32_t>(place.offset));
      continue;
    }
    append_number(index, static_cast<std::uint32_t>(kLongOffset | long_offsets.size() / 8));
    append_number(long_offsets, place.offset);
  }
  index += long_offsets;
  index += pack.view();
  index += Sha1().add(index).finish().view();

  std::FILE* file = std::fopen(path.c_str(), "wbxe");
  if (file == nullptr) return cannot_write(path);
  const bool is_written = std::fwrite(index.data(), 1, index.size(), file) == index.size() &&
                          std::fflush(file) == 0 && os::sync_file(::fileno(file)) == 0;
  const Error error = cannot_write(path);
  std::fclose(file);
  if (!is_written) return error;
  return {};
}

Result<void> PackWriter::finish() {
  const GitOid pack = TRY(seal());
  std::sort(places_.begin(), places_.end(),
            [](const PackedObject& a, const PackedObject& b) { return a.oid < b.oid; });
  Sha1 names;
  for (const PackedObject& place : places_) names.add(place.oid.view());
  const std::string base = folder_ + "/pack-" + names.finish().hex();
  TRY(write_index(base + ".idx", pack));
  if (::rename(draft_.c_str(), (base + ".pack").c_str()) != 0) return failed();
  std::fclose(std::exchange(file_, nullptr));
  return {};
}

}  // namespace spoor::cli::git
