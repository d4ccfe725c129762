#pragma once

#include <memory>
#include <string_view>

#include "llm/profile.h"
#include "llm/provider.h"
#include "llm/reply.h"

namespace spoor::llm::wire {

/// Builds a reply from the bytes of a response body, which may arrive in any pieces. It
/// distinguishes streams (SSE, NDJSON, Gemini's JSON array) from whole JSON bodies by their
/// content, not by the request. For one call and one thread.
///
/// Never fails: an error becomes the reply's `failure`, next to the data that could be read. The
/// reply itself and kMaxReply bound the memory.
class ReplyParser {
 public:
  virtual ~ReplyParser() = default;

  /// Adds a part of the body. Returns false if the rest need not be read (too long, or broken).
  virtual bool feed(std::string_view bytes, const OnEvent& on_event) = 0;

  /// Ends the body. A stream without its own last event gets Failure::Kind::network.
  virtual Reply finish(const OnEvent& on_event) = 0;
};

/// The maximum size of a body in bytes; a longer one is Kind::malformed, with the part read before.
constexpr std::size_t kMaxReply = 64U << 20U;

std::unique_ptr<ReplyParser> make_reply_parser(Wire wire);

/// Reads a whole JSON body of an unknown wire by its shape. If no shape fits, the text is empty.
/// The shapes: tests/vectors, "Replies and wire shapes".
Reply read_reply(std::string_view body);

/// Returns whether a JSON body has the shape of a reply of some wire, or of an error.
bool is_reply(std::string_view body);

/// Returns the failure of a response with an error status, from its status and body.
Failure read_failure(int status, std::string_view body);

}  // namespace spoor::llm::wire
