#pragma once

#include <string>

#include "sync/intake.h"
#include "sync/message.h"

namespace spoor::sync {

/// The rights of the one who asks, and the side that answers.
struct ServerOptions {
  Intake intake;
  std::string head;       ///< the full name of the branch that a clone begins with
  bool may_write = true;  ///< pushes are taken
  std::string why_not;    ///< they are not
  bool may_force = true;  ///< pushes may remove refs, and move them to where they do not lead
  std::string prefix;     ///< of the branches and tags that a push may move; empty: all
};

/// Answers requests about one store. For one thread; a store may have several.
class Server {
 public:
  /// All must outlive it.
  Server(store::Store& store, const Clock& clock, ServerOptions options)
      : store_(store), clock_(clock), options_(std::move(options)) {}

  /// Reads a request and writes its answer, which may be the error. Returns an error if no answer
  /// could be written, or not all of it.
  Result<void> answer(const ByteSource& request, const ByteSink& sink);

 private:
  Result<void> answer_to(const Message& request, LineInput& body, const ByteSink& sink);
  Result<void> tell_refs(std::string_view text, const ByteSink& sink) const;
  Result<void> tell_known(std::string_view text, const ByteSink& sink) const;
  Result<void> send(std::string_view text, const ByteSink& sink);
  Result<void> begin_push(std::string_view text, const ByteSink& sink);
  Result<void> take_push(std::string_view text, LineInput& body, const ByteSink& sink);

  store::Store& store_;
  const Clock& clock_;
  const ServerOptions options_;
  bool has_begun_ = false;  // An answer.
};

}  // namespace spoor::sync
