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

/// One piece of what a model answered, in the order it came.
struct Piece {
  enum class Kind {
    text,       ///< of the answer
    reasoning,  ///< `text` may be empty: encrypted, redacted, or a signature alone
    call,       ///< of a tool of ours
    other,      ///< anything else a provider puts there: searches it ran itself, images, …
  };

  Kind kind = Kind::text;
  std::string text;        ///< of text and reasoning
  compile::ToolCall call;  ///< of a call; `arguments` is the provider's own text
  /// The provider's item as JSON, to be sent back as it is: cut out of what was received where it
  /// came whole, put together from its deltas where it came in a stream. Signatures and encrypted
  /// texts are the provider's bytes either way. Empty: the provider has no items.
  std::string raw;

  bool operator==(const Piece&) const = default;
};

/// What a model answered: as much of it as arrived. A value.
struct Reply {
  std::vector<Piece> pieces;
  /// Of the reasoning, in any words: what is none of compile::is_reasoning_format() is kept as
  /// `raw`. Empty: there is none.
  std::string format;
  std::string id;             ///< the provider's name of the message; may be empty
  std::string model;          ///< that answered, in the provider's words; may be empty
  std::string finish_reason;  ///< the provider's own word; may be empty
  Usage usage;
  /// The provider's message as one JSON object, where it is one (chat completions, Ollama) and came
  /// whole: its exact bytes. Empty otherwise; the pieces have items then.
  std::string raw;
  /// The body as it was received, where there was one: for a caller that cannot keep the reply.
  /// Empty where nobody has it any more, such as for a reply out of a cache.
  std::string received;
  /// What the provider says it changed of our request (`input_transformations`), as it came.
  std::string transformations;
  /// Did it come out of a response cache (response_cache.h)? Nothing was sent then, and `usage` is
  /// what the first call took: it was billed once, and is not counted again.
  bool from_cache = false;
  int attempts = 1;                      ///< how often it was asked for, with those that failed
  std::chrono::milliseconds latency{0};  ///< from the first request to the end; 0: not measured
  std::optional<Failure> failure;        ///< nothing: the reply is whole

  /// The answer: texts joined without a separator.
  std::string text() const;
  /// Reasoning that is not empty, joined by a blank line; nothing when there is none.
  std::optional<std::string> reasoning() const;
  std::vector<compile::ToolCall> calls() const;

  bool operator==(const Reply&) const = default;
};

/// Does this word of a provider say that the answer came to the end of what it may have: `length`,
/// `max_tokens`, `MAX_TOKENS`, `max_output_tokens`, `incomplete`, `model_context_window_exceeded`?
bool was_cut_short(std::string_view finish_reason);

/// What happens while a reply arrives. `text` is borrowed for the call.
struct ReplyEvent {
  enum class Kind {
    text,       ///< more of the answer
    reasoning,  ///< more of the reasoning
    call,       ///< a tool call began: `text` is the tool's name
    waiting,    ///< the call failed and is tried again, or elsewhere: `text` says why, and when
  };
  Kind kind = Kind::text;
  std::string_view text;
};

}  // namespace spoor::llm
