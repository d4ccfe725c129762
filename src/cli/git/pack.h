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

/// Writes one pack and its index, version 2 of both (gitformat-pack(5)): objects deflated one by
/// one, no deltas. Objects are written to disk as they come; only a name and a position for each
/// stay in memory. For one thread.
class PackWriter {
 public:
  /// Creates a pack in `folder`, which must exist. Returns Code::io if the disk fails, as do the
  /// functions below.
  static Result<std::unique_ptr<PackWriter>> create(const std::string& folder);
  ~PackWriter();
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;

  /// Writes an object unless the pack has it, and returns its name.
  Result<GitOid> put(Kind kind, std::string_view bytes);

  /// Ends the pack, writes the index, and syncs both to disk. The file names derive from the
  /// objects: `pack-<SHA-1 of their names in order>`. Call once.
  Result<void> finish();

  std::uint64_t objects() const { return places_.size(); }

 private:
  struct PackedObject {
    GitOid oid;
    std::uint32_t crc = 0;  // Covers the bytes in the pack.
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
  std::vector<PackedObject> places_;
  std::unordered_set<GitOid> known_;
};

}  // namespace spoor::cli::git
