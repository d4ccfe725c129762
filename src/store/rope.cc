#include "store/rope.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "store/blob.h"
#include "store/lines.h"

namespace spoor::store {
namespace {

// Reads `HEX SP SIZE`.
std::optional<RopePiece> piece_from(std::string_view value, bool is_rope) {
  const std::size_t space = value.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto oid = Oid::from_hex(value.substr(0, space));
  const auto size = parse_integer(value.substr(space + 1));
  if (!oid || !size || *size == 0) return std::nullopt;
  if (!is_rope && *size > kMaxBlobContent) return std::nullopt;
  return RopePiece{*oid, *size, is_rope};
}

class Encoder {
 public:
  Encoder(std::string_view text, const Salter& salter) : text_(text), salter_(salter) {}

  // Returns the pieces of a range, of which there may be more than one rope holds.
  std::vector<RopePiece> pieces_of(std::size_t begin, std::size_t end,
                                   const std::vector<Cut>& cuts) {
    std::vector<RopePiece> pieces;
    for (const Cut& cut : cuts) {
      add_blobs(begin, cut.begin, pieces);
      if (cut.inner.empty()) {
        add_blobs(cut.begin, cut.end, pieces);
      } else {
        auto inner = pieces_of(cut.begin, cut.end, cut.inner);
        pieces.push_back(join(std::move(inner)));
      }
      begin = cut.end;
    }
    add_blobs(begin, end, pieces);
    return pieces;
  }

  // Makes one piece of many; a rope if there are at least two.
  RopePiece join(std::vector<RopePiece> pieces) {
    while (pieces.size() > kMaxRopePieces) {
      std::vector<RopePiece> fewer;
      for (std::size_t at = 0; at < pieces.size(); at += kMaxRopePieces) {
        const auto from = pieces.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t count = std::min(kMaxRopePieces, pieces.size() - at);
        fewer.push_back(join({from, from + static_cast<std::ptrdiff_t>(count)}));
      }
      pieces = std::move(fewer);
    }
    if (pieces.size() == 1) return pieces.front();
    const Rope rope{std::move(pieces)};
    objects.push_back(new_object(Kind::rope, serialize(rope)));
    return {objects.back().oid, rope.size(), true};
  }

  std::vector<NewObject> objects;

 private:
  void add_blobs(std::size_t begin, std::size_t end, std::vector<RopePiece>& pieces) {
    const bool is_short = end - begin <= kMaxBlobContent;
    while (begin < end) {
      const std::size_t size = is_short ? end - begin : std::min(kChunkPart, end - begin);
      objects.push_back(encode_content(text_.substr(begin, size), salter_).front());
      pieces.push_back({objects.back().oid, size, false});
      begin += size;
    }
  }

  std::string_view text_;
  const Salter& salter_;
};

}  // namespace

std::uint64_t Rope::size() const {
  std::uint64_t sum = 0;
  for (const RopePiece& piece : pieces) sum += piece.size;
  return sum;
}

std::vector<NewObject> encode_rope(std::string_view text, const std::vector<Cut>& cuts,
                                   const Salter& salter) {
  Encoder encoder(text, salter);
  std::vector<RopePiece> pieces = encoder.pieces_of(0, text.size(), cuts);
  if (pieces.size() < 2) return encode_content(text, salter);
  encoder.join(std::move(pieces));
  return std::move(encoder.objects);
}

std::string serialize(const Rope& rope) {
  std::string body;
  for (const RopePiece& piece : rope.pieces) {
    append_line(body, piece.is_rope ? "rope" : "piece",
                fmt::format("{} {}", piece.oid.hex(), piece.size));
  }
  return body;
}

Result<Rope> parse_rope(std::string_view body) {
  const Error bad = corrupt("a rope is malformed", "run 'spoor store fsck'");
  LineReader lines(body);
  Rope rope;
  std::uint64_t size = 0;
  while (!lines.finished()) {
    auto value = lines.take("piece");
    const bool is_rope = !value;
    if (is_rope) value = lines.take("rope");
    const auto piece = value ? piece_from(*value, is_rope) : std::nullopt;
    if (!piece || rope.pieces.size() == kMaxRopePieces || piece->size > kMaxInteger - size) {
      return bad;
    }
    size += piece->size;
    rope.pieces.push_back(*piece);
  }
  if (rope.pieces.size() < 2) return bad;
  return rope;
}

}  // namespace spoor::store
