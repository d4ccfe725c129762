#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/blob.h"
#include "store/oid.h"

namespace spoor::store {

/// A piece of a rope: where its bytes are, and how many.
struct RopePiece {
  Oid oid;
  std::uint64_t size = 0;
  bool is_rope = false;  ///< another rope, else a blob

  bool operator==(const RopePiece&) const = default;
};

/// The most pieces of one rope. A longer sequence is a rope of ropes.
constexpr std::size_t kMaxRopePieces = 16'384;

/// A text as the sequence of its pieces, each an object of its own, so that texts with equal pieces
/// share them. Pieces may be cut anywhere, unlike those of a ChunkList, and a rope has at least
/// two. After Boehm, Atkinson and Plass, "Ropes: an Alternative to Strings", Software: Practice and
/// Experience 25 (1995).
struct Rope {
  std::vector<RopePiece> pieces;

  /// The length of the text.
  std::uint64_t size() const;

  bool operator==(const Rope&) const = default;
};

std::string serialize(const Rope& rope);

/// A range of a text that becomes a piece: the bytes from `begin` to before `end`. With cuts of its
/// own, which lie within it, it becomes a rope.
struct Cut {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<Cut> inner = {};
};

/// Returns the objects of a text that is cut at `cuts`, which are in order and do not overlap. The
/// bytes between two cuts are a piece too; one longer than a blob may be is several. The name of
/// the last object is the text's: a rope, or a content as encode_content() makes it, if there is
/// only one piece.
std::vector<NewObject> encode_rope(std::string_view text, const std::vector<Cut>& cuts,
                                   const Salter& salter);

/// Parses the body of a rope. Code::corrupt unless serialize() returns the same bytes, there are 2
/// to kMaxRopePieces pieces, no piece is empty, no blob is longer than one may be, and the text is
/// at most kMaxInteger long.
Result<Rope> parse_rope(std::string_view body);

}  // namespace spoor::store
