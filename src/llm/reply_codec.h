#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/reply.h"

namespace spoor::llm {

/// A ReplyEvent that owns its text.
struct KeptEvent {
  ReplyEvent::Kind kind = ReplyEvent::Kind::text;
  std::string text;

  bool operator==(const KeptEvent&) const = default;
};

/// A reply with the events that were reported while it arrived.
struct KeptReply {
  Reply reply;
  std::vector<KeptEvent> events;

  bool operator==(const KeptReply&) const = default;
};

/// Encodes every member of every piece, usage and failure, but not `from_cache`. For our own files
/// that can be rebuilt; not used in the store. A reader accepts only the bytes that the same
/// version writes: equal replies have equal bytes.
std::string encode_reply(const KeptReply& kept);

/// Decodes a reply. Code::corrupt for bytes of another version, or not written by encode_reply().
Result<KeptReply> decode_reply(std::string_view bytes);

}  // namespace spoor::llm
