#pragma once

#include <memory>
#include <string_view>

#include "llm/profile.h"
#include "llm/provider.h"
#include "llm/reply.h"

namespace spoor::llm::wire {

/// Builds a reply from the bytes of a response's body, however they are cut: one byte at a time, or
/// all at once. Streams (SSE, NDJSON, Gemini's JSON array) and whole JSON bodies are told apart by
/// what they hold, not by what was asked for. For one call and one thread.
///
/// Never fails: what cannot be read becomes the reply's `failure`, beside what could. Memory is
/// bounded by the reply itself and kMaxReply.
class ReplyParser {
 public:
  virtual ~ReplyParser() = default;

  /// More of the body. False: enough, the rest need not be read (it is too long, or broken).
  virtual bool feed(std::string_view bytes, const OnEvent& on_event) = 0;

  /// The body is at its end. A stream without its own last event is Failure::Kind::network.
  virtual Reply finish(const OnEvent& on_event) = 0;
};

/// Bodies longer than this are given up (Kind::malformed), with what came before.
constexpr std::size_t kMaxReply = 64U << 20U;

std::unique_ptr<ReplyParser> make_reply_parser(Wire wire);

/// A whole JSON body whose wire nobody knows: the shape tells. What fits none has empty text.
/// The shapes: tests/vectors, "Replies and wire shapes".
Reply read_reply(std::string_view body);

/// The failure that a response with an error status says, from its head's facts and its body.
Failure read_failure(int status, std::string_view body);

}  // namespace spoor::llm::wire
