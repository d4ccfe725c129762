#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"

namespace spoor::import {

/// A ZIP archive in memory (PKWARE, APPNOTE.TXT 6.3.10, zip64 included): files that are stored,
/// deflated (method 8) or in zstd (93), neither encrypted nor spread over volumes. Believes no
/// number that it reads before it has looked. A value; may be read by several threads.
class ZipArchive {
 public:
  /// One file, as the directory tells of it.
  struct Entry {
    std::string name;
    std::uint64_t flags = 0;
    std::uint64_t method = 0;
    std::uint64_t crc = 0;
    std::uint64_t packed = 0;  ///< bytes in the archive
    std::uint64_t size = 0;    ///< bytes unpacked
    std::uint64_t offset = 0;  ///< of its header

    /// The name for a message, without control characters and not too long: archives may call
    /// their files anything.
    std::string shown_name() const;
  };

  /// Code::invalid: no directory (the archive is cut off), one that contradicts itself, more than a
  /// million files, or two in the same bytes.
  static Result<ZipArchive> open(std::string bytes);

  /// In the order of the directory. Writers that replace a file leave both: the later one counts.
  const std::vector<Entry>& entries() const { return entries_; }

  /// The file called `name`; null when there is none. Good as long as the archive.
  const Entry* find(const std::string& name) const;

  /// The bytes of a file, held against its checksum. Code::invalid when they are damaged, packed in
  /// another way, or more than `most`, which is below 4 GiB.
  Result<std::string> read(const Entry& entry, std::size_t most) const;

 private:
  explicit ZipArchive(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<void> read_directory();
  Result<void> check_apart() const;
  Result<std::string_view> packed_bytes(const Entry& entry) const;

  std::string bytes_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> places_;  // In entries_, by name.
};

/// Does a file that begins with `head` look like a ZIP archive? Its first file's name goes to
/// `first_name`.
bool is_zip(std::string_view head, std::string_view& first_name);

}  // namespace spoor::import
