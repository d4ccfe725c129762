#pragma once

#include <functional>
#include <memory>
#include <string>

#include "store/archive_parts.h"

namespace spoor::sync {

using store::ByteSink;
using store::ByteSource;
using store::LineInput;
using store::Oid;

// Two stores talk in requests and answers (docs/team.md). Each is one message, which may have a
// body: an archive.

/// A word, that of a request, `ok` or `error`, and lines of strict text.
struct Message {
  std::string word;
  std::string text;

  bool operator==(const Message&) const = default;
};

/// Writes a message. Bytes that follow are its body.
Result<void> write_message(const ByteSink& sink, const Message& message);

/// Reads a message up to its body. Code::invalid for other bytes.
Result<Message> read_message(LineInput& input);

/// Returns the answer that is the error, and the error of such an answer.
Message answer_of(const Error& error);
Error error_of(const Message& answer);

/// A way to another store. For one thread.
class Link {
 public:
  virtual ~Link() = default;

  /// Sends the bytes of one request, which `write` passes to its sink, and returns those of the
  /// answer. They end with the answer, and are valid until the next call. Code::unavailable if the
  /// other side is not there any more.
  virtual Result<ByteSource> ask(const std::function<Result<void>(const ByteSink&)>& write) = 0;
};

/// An answer, with the body that follows it.
struct Answer {
  Message message;
  std::unique_ptr<ByteSource> source;
  std::unique_ptr<LineInput> body;  ///< valid until the next request
};

/// Sends one request and reads the answer. Returns its error if it is one. `body` may be empty.
Result<Answer> ask(Link& link, const Message& request,
                   const std::function<Result<void>(const ByteSink&)>& body = {});

}  // namespace spoor::sync
