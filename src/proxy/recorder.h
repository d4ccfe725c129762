#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "import/known_turns.h"
#include "import/live/agent_sessions.h"
#include "llm/usage.h"
#include "proxy/exchange.h"

namespace spoor::proxy {

/// The result of recording one exchange.
struct Recorded {
  /// Why it is not in the store; empty if it is. `non_turn_request` (a list of models, a count of
  /// tokens), `unknown_provider`, `request_decode`, `response_decode`; kLater.
  std::string reason;
  std::string ref;                     ///< the branch of the conversation
  std::optional<compile::Oid> answer;  ///< nullopt: there is no turn of it
  bool is_aside = false;               ///< the agent asked it beside the conversation
  bool is_known = false;               ///< it was recorded before, and nothing was written
  std::string provider;                ///< as price lists call it
  std::string model;
  llm::Usage usage;
};

/// Recorded::reason of an exchange whose turns are not in the agent's own file yet: try again.
constexpr std::string_view kLater = "later";

/// Writes captured exchanges to a repository: for each a note on `refs/captures/AGENT/SESSION`
/// about the answer. The note names a bundle with the request's exact bytes, which share their
/// pieces with other requests, and has the response as it came, decoded.
///
/// The turns of a conversation are those of the agent's own file, if it keeps one: the answer is
/// found by the provider's id of the reply, or by what it says. A request that led to no turn there
/// (a title, a classifier, an error, an answer that was stopped) is noted about the turn before it.
/// If the agent has no file, turns are made of the request and the response, as the importers make
/// them.
///
/// The same exchange again writes nothing. Errors are those of the repository and of `import`.
class Recorder {
 public:
  explicit Recorder(graph::Repository& repository, import::ImportSessions import = {})
      : repository_(repository), import_(std::move(import)) {}

  /// Records one exchange. `is_final`: there is no later.
  Result<Recorded> record(const Exchange& exchange, bool is_final = true);

  /// Records an exchange that a client saw, in the form of parse_exchange(): takes its credentials
  /// out first. Returns {"answer", "known", "model", "reason", "ref"} as JSON; an empty member is
  /// null. Code::corrupt if it is malformed.
  Result<std::string> record_given(std::string_view exchange);

 private:
  graph::Repository& repository_;
  const import::ImportSessions import_;
  /// A line that another process begins meanwhile is found by its name alone.
  import::KnownLines lines_;
};

}  // namespace spoor::proxy
