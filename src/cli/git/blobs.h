#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "cli/git/pack.h"
#include "store/reader.h"

namespace spoor::cli::git {

/// Writes contents of the store as git blobs, byte for byte, each read once.
class Blobs {
 public:
  /// Both must outlive this.
  Blobs(const store::Reader& reader, PackWriter& pack) : reader_(reader), pack_(pack) {}

  /// Returns the blob of a content. Absent bytes become a line that reports this, and are counted.
  Result<GitOid> of(const store::Oid& content);

  Result<GitOid> of_text(std::string_view text) { return pack_.put(Kind::blob, text); }

  std::uint64_t absent() const { return absent_; }

 private:
  const store::Reader& reader_;
  PackWriter& pack_;
  std::unordered_map<store::Oid, GitOid> known_;
  std::uint64_t absent_ = 0;
};

}  // namespace spoor::cli::git
