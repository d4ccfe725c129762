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

/// A reply with what was told while it arrived.
struct KeptReply {
  Reply reply;
  std::vector<KeptEvent> events;

  bool operator==(const KeptReply&) const = default;
};

/// A reply as bytes: every member of every piece, usage and failure, but `from_cache`. For files of
/// our own that can be made again; nothing of the store is written so. A reader takes what this
/// version's writer wrote and nothing else: equal replies have equal bytes.
std::string encode_reply(const KeptReply& kept);

/// Code::corrupt for bytes of another version, or that encode_reply() did not write.
Result<KeptReply> decode_reply(std::string_view bytes);

}  // namespace spoor::llm
