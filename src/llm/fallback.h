#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "llm/provider.h"

namespace spoor::llm {

/// One way to get a reply: a provider, and how to make the request for it. A body is written for
/// one wire and one model, so each attempt makes its own, and only when its turn comes.
struct Attempt {
  Provider& provider;
  std::function<store::Result<Request>()> request;
};

/// The reply of one attempt.
struct FallbackReply {
  Reply reply;
  std::size_t index = 0;         ///< of the attempt it is from
  std::vector<Failure> earlier;  ///< why the attempts before it came to nothing, in order
};

/// Makes one attempt after the other until one succeeds. Any failure leads to the next (a model
/// that refuses a request may stand beside one that takes it), with two exceptions that are
/// returned at once: what was stopped, and a reply of which a piece was handed on or is there.
/// Passing on is told as a ReplyEvent of Kind::waiting. A request that cannot be made counts as a
/// failed attempt. The last attempt's reply is returned as it is.
///
/// Throws std::logic_error without an attempt.
FallbackReply complete_with_fallback(std::span<const Attempt> attempts, const OnEvent& on_event);

}  // namespace spoor::llm
