#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cli/error.h"
#include "cli/git/object.h"

namespace spoor::cli::git {

/// Writes one pack and its index, version 2 of both (gitformat-pack(5)): objects
/// deflated one by one, no deltas. Objects go to the disk as they come; what is held
/// is a name and a place for each. For one thread.
class PackWriter {
 public:
  /// In `folder`, which must be there. Code::io when the disk refuses, here and below.
  static Result<std::unique_ptr<PackWriter>> create(const std::string& folder);
  ~PackWriter();
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;

  /// Writes an object, unless it is there, and names it.
  Result<GitOid> put(Kind kind, std::string_view bytes);

  /// Ends the pack, writes the index, and sees both to the disk. The files are called
  /// after the objects inside: `pack-<SHA-1 of their names in order>`. Once.
  Result<void> finish();

  std::uint64_t objects() const { return places_.size(); }

 private:
  struct Place {
    GitOid oid;
    std::uint32_t crc = 0;  // Of the bytes in the pack.
    std::uint64_t offset = 0;
  };
  struct Deflater;

  explicit PackWriter(std::string folder);
  Result<void> write(std::string_view bytes, std::uint32_t& crc);
  Result<void> deflate(std::string_view bytes, std::uint32_t& crc);
  Result<GitOid> seal();
  Result<void> write_index(const std::string& path, const GitOid& pack) const;
  Error failed() const;

  std::string folder_;
  std::string draft_;
  std::FILE* file_ = nullptr;
  std::unique_ptr<Deflater> deflater_;
  std::uint64_t offset_ = 0;
  std::vector<Place> places_;
  std::unordered_set<GitOid> known_;
};

}  // namespace spoor::cli::git
