#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/turn.h"
#include "llm/failure.h"
#include "llm/usage.h"

namespace spoor::llm {

/// A part of a model's answer. Parts are kept in the order of arrival.
struct Piece {
  enum class Kind {
    text,       ///< answer text
    reasoning,  ///< `text` may be empty: encrypted, redacted, or only a signature
    call,       ///< a call of one of our tools
    other,      ///< any other item of the provider: its own searches, images, …
  };

  Kind kind = Kind::text;
  std::string text;        ///< of text and reasoning
  compile::ToolCall call;  ///< of a call; `arguments` is the provider's own text
  /// The provider's item as JSON, to be sent back unchanged. Copied from the received bytes if it
  /// came whole, assembled from deltas if it was streamed. Signatures and encrypted texts are the
  /// provider's bytes either way. Empty: the provider has no items.
  std::string raw;

  bool operator==(const Piece&) const = default;
};

/// A model's answer, as far as it arrived. A value type.
struct Reply {
  std::vector<Piece> pieces;
  /// The format of the reasoning, in the provider's words. If it is not a
  /// compile::is_reasoning_format(), it is stored as `raw`. Empty: no reasoning.
  std::string format;
  std::string id;             ///< the provider's id of the message; may be empty
  std::string model;          ///< the model that answered, in the provider's words; may be empty
  std::string finish_reason;  ///< the provider's own word; may be empty
  bool is_refusal = false;    ///< the text is in the provider's field for refusals
  Usage usage;
  /// The exact bytes of the provider's message if it is one JSON object (chat completions, Ollama)
  /// and came whole. Otherwise empty, and the pieces have items.
  std::string raw;
  /// The body as received, if there was one: for a caller that cannot keep the reply. Empty if the
  /// body is no longer available, such as for a reply from a cache.
  std::string received;
  /// The provider's list of changes to our request (`input_transformations`), as received.
  std::string transformations;
  /// True if the reply came from a response cache (response_cache.h). Nothing was sent then, and
  /// `usage` is that of the first call: it was billed once and is not counted again.
  bool from_cache = false;
  int attempts = 1;                      ///< the number of calls, including failed ones
  std::chrono::milliseconds latency{0};  ///< from the first request to the end; 0: not measured
  std::optional<Failure> failure;        ///< nullopt: the reply is complete

  /// Returns the answer: its texts joined without a separator.
  std::string text() const;
  /// Returns the non-empty reasoning texts joined by a blank line; nullopt if there are none.
  std::optional<std::string> reasoning() const;
  std::vector<compile::ToolCall> calls() const;

  bool operator==(const Reply&) const = default;
};

/// How an answer ended.
enum class Outcome {
  done,       ///< as the model meant it, or in a word that is not known
  truncated,  ///< at the limit of an answer or of the context: the rest is missing
  refused,    ///< the model declined
  filtered,   ///< the provider's filter withheld the answer or its rest
  paused,     ///< the provider stopped in the middle of its own tools: send the answer back
  malformed,  ///< a call that the provider could not read, or an answer that broke off
};
std::string_view name_of(Outcome outcome);

/// Returns the outcome for the provider's word: `stop_reason`, `finish_reason`, `finishReason`,
/// `status` or `incomplete_details.reason`. `is_refusal` as in Reply.
Outcome outcome_of(std::string_view finish_reason, bool is_refusal);

/// An event while a reply arrives. `text` is valid during the callback only.
struct ReplyEvent {
  enum class Kind {
    text,       ///< more of the answer
    reasoning,  ///< more of the reasoning
    call,       ///< a tool call began: `text` is the tool's name
    waiting,    ///< the call failed and is retried, here or elsewhere: `text` has reason and time
  };
  Kind kind = Kind::text;
  std::string_view text;
};

}  // namespace spoor::llm
