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

/// A ZIP archive in memory (PKWARE, APPNOTE.TXT 6.3.10, zip64 included) with files that are stored,
/// deflated (method 8) or zstd (93), neither encrypted nor split over volumes. Checks every number
/// in the archive before using it. A value; several threads may read it.
class ZipArchive {
 public:
  /// One file, as listed in the directory.
  struct Entry {
    std::string name;
    std::uint64_t flags = 0;
    std::uint64_t method = 0;
    std::uint64_t crc = 0;
    std::uint64_t packed = 0;  ///< bytes in the archive
    std::uint64_t size = 0;    ///< bytes unpacked
    std::uint64_t offset = 0;  ///< of its header

    /// Returns the name for messages, shortened and without control characters: an archive may
    /// contain any name.
    std::string shown_name() const;
  };

  /// Returns Code::invalid if the directory is missing (the archive is cut off) or contradicts
  /// itself, if there are more than a million files, or if two files share bytes.
  static Result<ZipArchive> open(std::string bytes);

  /// Returns the files in the order of the directory, each name once. If the directory lists a file
  /// twice, the later entry counts.
  const std::vector<Entry>& entries() const { return entries_; }

  /// Returns the file called `name`; null if there is none. Valid as long as the archive.
  const Entry* find(const std::string& name) const;

  /// Returns the bytes of a file after checking its checksum. Returns Code::invalid if they are
  /// damaged, packed in another way, or more than `most`, which is below 4 GiB.
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

/// Returns true if a file that begins with `head` looks like a ZIP archive, and sets `first_name`
/// to the name of its first file.
bool is_zip(std::string_view head, std::string_view& first_name);

}  // namespace spoor::import
