#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graph/repository.h"
#include "llm/usage.h"
#include "proxy/exchange.h"

namespace spoor::proxy {

/// What became of one exchange.
struct Recorded {
  /// Why it is not in the store; empty if it is. `non_turn_request` (a list of models, a count of
  /// tokens), `request_decode`, `response_decode`.
  std::string reason;
  std::string ref;                     ///< the branch of the conversation
  std::optional<compile::Oid> answer;  ///< nullopt: the provider gave none
  std::string provider;                ///< as price lists call it
  std::string model;
  llm::Usage usage;
};

/// Writes captured exchanges to a repository: the turns of the conversation, as the importers make
/// them, and for each exchange a note on `refs/captures/AGENT/SESSION` about the answer. The note
/// names a bundle with the request's exact bytes, which share their pieces with other requests, and
/// has the response as it came, decoded.
///
/// The same exchange again writes nothing. Errors are those of the repository.
class Recorder {
 public:
  explicit Recorder(graph::Repository& repository) : repository_(repository) {}

  Result<Recorded> record(const Exchange& exchange);

 private:
  graph::Repository& repository_;
};

}  // namespace spoor::proxy
