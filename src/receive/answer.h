#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "receive/otlp.h"

namespace spoor::receive {

/// A request to the receiver, without its connection.
struct Post {
  std::string_view method;
  std::string_view target;
  std::string_view type;
  std::string_view coding;
  std::string body;
};

struct Answer {
  int status = 200;
  std::string type;
  std::string body;
};

/// Passes on what is kept of a post: after it the answer is sent, so it must survive this process.
using Put = std::function<Result<void>(Signal signal, std::string document)>;

/// Returns the answer to a request whose body is not read yet, if its head suffices to refuse it:
/// 404, 405, 415. nullopt: read the body, and call answer().
std::optional<Answer> refuse(const Post& post);

/// Takes a post: decodes it, passes on what is kept, and answers as OTLP/HTTP requires. 400 if it
/// cannot be decoded, 413 if it is longer than `most` bytes when decoded, 503 if `put` fails.
///
/// Source: opentelemetry.io/docs/specs/otlp (1.5.0), "OTLP/HTTP".
Answer answer(Post post, std::size_t most, const Put& put);

/// Returns an answer that says why a request is refused, in the encoding of the request.
Answer refusal(int status, std::string_view type, std::string_view message);

}  // namespace spoor::receive
