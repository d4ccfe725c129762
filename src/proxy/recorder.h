#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "graph/repository.h"
#include "llm/usage.h"
#include "proxy/exchange.h"

namespace spoor::proxy {

/// The result of recording one exchange.
struct Recorded {
  /// Why it is not in the store; empty if it is. `non_turn_request` (a list of models, a count of
  /// tokens), `unknown_provider` (Gemini, Ollama, a WebSocket), `request_decode`,
  /// `response_decode`; kLater.
  std::string reason;
  std::string ref;                     ///< the branch of the conversation
  std::optional<compile::Oid> answer;  ///< nullopt: the provider gave none
  std::string provider;                ///< as price lists call it
  std::string model;
  llm::Usage usage;
};

/// Recorded::reason of an exchange whose turns are not in the agent's own file yet: try again.
constexpr std::string_view kLater = "later";

/// Imports what an agent itself has written of a session. nullopt: no file of this agent is known;
/// false: there is none of this session, or not yet.
using ImportSession = std::function<Result<std::optional<bool>>(const std::string& agent,
                                                                const std::string& session)>;

/// Writes captured exchanges to a repository: for each a note on `refs/captures/AGENT/SESSION`
/// about the answer. The note names a bundle with the request's exact bytes, which share their
/// pieces with other requests, and has the response as it came, decoded.
///
/// The turns of a conversation are those of the agent's own file, if it keeps one: the answer is
/// found by the provider's id of the message. Of an agent without a file they are made of the
/// request and the response, as the importers make them.
///
/// The same exchange again writes nothing. Errors are those of the repository and of `import`.
class Recorder {
 public:
  explicit Recorder(graph::Repository& repository, ImportSession import = {})
      : repository_(repository), import_(std::move(import)) {}

  /// Reads agents' files anew when they are next needed; otherwise so often that it takes a
  /// twentieth of the time.
  void refresh() { imported_.clear(); }

  /// Records one exchange. `is_final`: there is no later.
  Result<Recorded> record(const Exchange& exchange, bool is_final = true);

 private:
  Result<std::optional<bool>> has_file(const std::string& agent, const std::string& session);

  graph::Repository& repository_;
  const ImportSession import_;
  struct Imported {
    std::chrono::steady_clock::time_point next;  // When it may be read again.
    std::optional<bool> has_file;
  };
  std::map<std::pair<std::string, std::string>, Imported> imported_;  // By agent and session.
};

}  // namespace spoor::proxy
