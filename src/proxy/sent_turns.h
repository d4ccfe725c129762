#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/repository.h"
#include "llm/sent_prompt.h"

namespace spoor::proxy {

/// The conversation as a model was sent it: what the session files of agents leave out (the system
/// prompt, the tools, the agent's reminders) is in the captured request.
struct SentTurns {
  /// Has the messages of the request as turns, then those turns of the store's line that came after
  /// it. In memory; the store's repository must outlive it.
  std::unique_ptr<graph::Repository> repository;
  compile::Oid tip;

  llm::CapturedRequest request;
  llm::Wire wire = llm::Wire::anthropic;
  std::size_t later = 0;           ///< turns that came after the request
  std::vector<std::string> tools;  ///< each as it was sent, JSON

  /// False: the request names messages that the provider has (`previous_response_id`), so all but
  /// the system prompt is the store's line.
  bool has_messages = true;

  /// The commits there that are turns of the store, and their names in the store.
  std::map<compile::Oid, compile::Oid> names;
};

/// Returns the conversation up to `commit` by the last request that a proxy captured at or before
/// it. nullopt if there is none that can be rebuilt unaltered, or if the line has an edit, a
/// priority, a summary or a merge, so that the request is no longer what would be sent.
Result<std::optional<SentTurns>> sent_turns(const graph::Repository& repository,
                                            const compile::Oid& commit);

}  // namespace spoor::proxy
