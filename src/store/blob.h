#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/object.h"

namespace spoor::store {

/// The 16 bytes before a blob's content. All zero in a default store, so one
/// source record has one name everywhere.
using Salt = std::array<std::uint8_t, 16>;

/// The longest content stored as one blob. Every longer one is stored as `chunks` of parts of
/// kChunkPart bytes; the last part may be shorter.
constexpr std::size_t kMaxBlobContent = 1'048'576;
constexpr std::size_t kChunkPart = 262'144;

/// Chooses the salt of a content: zero in a default store; keyed in a private store, so that a hash
/// that survives an erasure confirms no guess.
class Salter {
 public:
  Salter() = default;

  /// Makes salts for a private store: the first 16 bytes of HMAC-SHA-256(key, SHA-256(bytes)).
  /// `key` is 32 bytes.
  explicit Salter(std::string key) : key_(std::move(key)) {}

  Salt salt_for(std::string_view bytes) const;
  bool is_private() const { return !key_.empty(); }

  /// Returns HMAC-SHA-256(key, bytes), or SHA-256(bytes) in a default store.
  Oid digest_of(std::string_view bytes) const;

 private:
  std::string key_;  // Empty in a default store.
};

/// Returns the objects of a content: one blob, or the parts followed by the `chunks` object that
/// lists them. The name of the last object is the content's name.
std::vector<NewObject> encode_content(std::string_view bytes, const Salter& salter);

/// Returns the bytes after the salt in a blob's body. Code::corrupt if the body is too short.
Result<std::string_view> blob_content(std::string_view body);

/// The value of a `chunks` object: the size of the content and its parts in order.
struct ChunkList {
  std::uint64_t size = 0;
  std::vector<Oid> parts;

  bool operator==(const ChunkList&) const = default;
};

std::string serialize(const ChunkList& list);

/// Parses a `chunks` body. Code::corrupt unless serialize() returns the same bytes, the size is
/// over kMaxBlobContent, and the number of parts is exactly right for it.
Result<ChunkList> parse_chunks(std::string_view body);

}  // namespace spoor::store
