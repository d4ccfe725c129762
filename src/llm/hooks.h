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

/// The argument of a handler. Pointers are null if the event has no such object.
struct HookEvent {
  enum class Kind {
    compile,  ///< the request was rendered: `body`
    call,     ///< the request is about to be sent: `body`, `model`
    reply,    ///< the reply arrived: `reply`
    commit,   ///< before and after turns are written: `reply`; after: `commits`
    tool,     ///< before and after a tool runs: `call`; after: `result`
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

/// Handlers for the steps of a model call. They run in process, on the call's thread, in the order
/// they were added. A handler that runs before a step can refuse it with an error, which ends the
/// call; before a commit, this discards a reply that was paid for. If a handler that runs after a
/// step fails, the result of the step is kept and the error is returned. No handler can change what
/// is hashed. To change a request, add a rewriter; its output is stored. Add all handlers before
/// the first call; do not change them while calls run.
class Hooks {
 public:
  using Handler = std::function<Result<void>(const HookEvent&)>;
  /// Returns the body to send instead, one JSON object; nullopt: send it unchanged.
  using Rewriter = std::function<Result<std::optional<std::string>>(const std::string& body)>;

  void on(HookEvent::Kind kind, Handler handler) { handlers_[kind].push_back(std::move(handler)); }

  /// `name` records what changed the request; for example `redact-emails/2`.
  void rewrite_with(std::string name, Rewriter rewriter) {
    rewriters_.push_back({std::move(name), std::move(rewriter)});
  }

  /// Runs the handlers of `event` up to the first error.
  Result<void> run(const HookEvent& event) const;

  /// Applies the rewriters to `body`. Returns the names of those that changed it, one per line;
  /// nullopt if none did.
  Result<std::optional<std::string>> rewrite(std::string& body) const;

 private:
  struct Named {
    std::string name;
    Rewriter rewriter;
  };
  std::map<HookEvent::Kind, std::vector<Handler>> handlers_;
  std::vector<Named> rewriters_;
};

}  // namespace spoor::llm
