// Any body, read as any wire: the first byte says which, and how the second reading cuts it. Both
// give the same reply; every item is JSON; what is told while it arrives is no more than the body.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "cuts.h"
#include "llm/wire/reply_parser.h"

namespace {

using spoor::llm::Piece;
using spoor::llm::Reply;
using spoor::llm::Wire;

void require(bool claim) {
  if (!claim) std::abort();
}

void check(const Reply& reply) {
  for (const Piece& piece : reply.pieces) {
    if (!piece.raw.empty()) require(static_cast<bool>(spoor::json::parse(piece.raw)));
    if (piece.kind == Piece::Kind::reasoning) require(!reply.format.empty());
    if (piece.kind == Piece::Kind::call) require(piece.text.empty());
  }
  if (!reply.raw.empty()) require(static_cast<bool>(spoor::json::parse(reply.raw)));
  if (reply.failure) require(reply.failure->raw.size() <= 64U << 10U);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto wire = static_cast<Wire>(data[0] % 5);

  const auto whole = spoor::llm::wire::make_reply_parser(wire);
  whole->feed(body, {});
  const Reply one = whole->finish({});
  check(one);

  const auto pieces = spoor::llm::wire::make_reply_parser(wire);
  std::size_t told = 0;
  const auto listen = [&](const spoor::llm::ReplyEvent& event) { told += event.text.size(); };
  fuzz::cut(body, data[0], [&](std::string_view piece) { pieces->feed(piece, listen); });
  require(pieces->finish(listen) == one);
  require(told <= 3 * body.size());  // U+FFFF is two bytes of an escape's six, and the like.

  check(spoor::llm::wire::read_reply(body));
  spoor::llm::wire::read_failure(data[0] % 2 == 0 ? 429 : 0, body);
  return 0;
}
