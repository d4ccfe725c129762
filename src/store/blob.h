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

/// The longest content kept in one blob; every longer one, and no other, is
/// `chunks` of parts of kChunkPart bytes (the last may be shorter).
constexpr std::size_t kMaxBlobContent = 1'048'576;
constexpr std::size_t kChunkPart = 262'144;

/// Chooses the salt of a content. The default store's is zero; a private store's
/// is keyed, so that a hash left behind after erasure confirms no guess.
class Salter {
 public:
  Salter() = default;

  /// The first 16 bytes of HMAC-SHA-256(key, SHA-256(bytes)). `key` is 32 bytes.
  explicit Salter(std::string key) : key_(std::move(key)) {}

  Salt salt_for(std::string_view bytes) const;
  bool is_private() const { return !key_.empty(); }

  /// HMAC-SHA-256(key, bytes); SHA-256(bytes) in a default store.
  Oid digest_of(std::string_view bytes) const;

 private:
  std::string key_;  // Empty in a default store.
};

/// A content as objects: one blob, or the parts and the `chunks` that lists
/// them. The last one is the content's own name.
std::vector<NewObject> encode_content(std::string_view bytes, const Salter& salter);

/// The bytes of a blob's body, after its salt. Code::corrupt when it is too short.
Result<std::string_view> blob_content(std::string_view body);

/// What a `chunks` object says: the size of the content, and its parts in order.
struct ChunkList {
  std::uint64_t size = 0;
  std::vector<Oid> parts;

  bool operator==(const ChunkList&) const = default;
};

std::string serialize(const ChunkList& list);

/// Code::corrupt unless serialize() gives the same bytes back, the size is over
/// kMaxBlobContent, and there are exactly as many parts as it takes.
Result<ChunkList> parse_chunks(std::string_view body);

}  // namespace spoor::store
