#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/turn.h"
#include "llm/reply.h"

namespace spoor::llm {

/// What a handler is told. Pointers are null where the moment has no such thing.
struct Moment {
  enum class Kind {
    compile,  ///< the request is rendered: `body`
    call,     ///< it is about to be sent: `body`, `model`
    reply,    ///< it was answered: `reply`
    commit,   ///< turns are about to be written, and were: `reply`; afterwards `commits`
    tool,     ///< a tool is about to run, and did: `call`; afterwards `result`
  };
  Kind kind = Kind::call;
  bool is_before = true;
  std::string_view model;
  const std::string* body = nullptr;
  const Reply* reply = nullptr;
  const compile::ToolCall* call = nullptr;
  const std::string* result = nullptr;
  std::vector<compile::Oid> commits;
};

/// Handlers of what happens around a model call, run in process, on its thread, in the order they
/// were added. One that runs before may refuse by an error, which ends the call; before a commit it
/// gives up a reply that was paid for. One that runs after may fail too: what was made stays, and
/// the error is returned. None can change what is hashed: a handler that rewrites the request is a
/// rewriter, and what it made is stored. Add all before the first call; not safe to change while
/// calls run.
class Hooks {
 public:
  using Handler = std::function<Result<void>(const Moment&)>;
  /// The body to send instead; nothing: as it is. Must keep it one JSON object.
  using Rewriter = std::function<Result<std::optional<std::string>>(const std::string& body)>;

  void on(Moment::Kind kind, Handler handler) { handlers_[kind].push_back(std::move(handler)); }

  /// `name` says in the record what changed the request; for example `redact-emails/2`.
  void rewrite_with(std::string name, Rewriter rewriter) {
    rewriters_.push_back({std::move(name), std::move(rewriter)});
  }

  /// Runs the handlers of a moment; the first error ends it.
  Result<void> run(const Moment& moment) const;

  /// Applies the rewriters to `body`; the names of those that changed it, by line. Nothing: none.
  Result<std::optional<std::string>> rewrite(std::string& body) const;

 private:
  struct Named {
    std::string name;
    Rewriter rewriter;
  };
  std::map<Moment::Kind, std::vector<Handler>> handlers_;
  std::vector<Named> rewriters_;
};

}  // namespace spoor::llm
