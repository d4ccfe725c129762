#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/repository.h"
#include "import/live/agent_sessions.h"

namespace spoor::proxy {

/// Returns true for a file that Claude Code writes with `OTEL_LOG_RAW_API_BODIES=file:DIR`:
/// `UUID.request.json` or `ID.response.json`, with the body of a request or a response
/// (code.claude.com/docs/en/monitoring-usage; files that 2.1.197 wrote).
bool is_raw_body(const std::string& path);

/// The result of record_raw_bodies().
struct RawBodies {
  std::size_t requests = 0;           ///< recorded now
  std::size_t known = 0;              ///< recorded before, by the proxy or from these files
  std::vector<std::string> unplaced;  ///< files of requests whose session is not in the store
};

/// Records the requests in such files beside the turns of their sessions, which `import` imports.
///
/// A response has the provider's id of its message, and so its turn; its request is the last one of
/// that session that ends with the turn before it. Other requests are beside the conversation.
///
/// They are copies (Exchange::is_copy): the agent adds `betas`, and takes out thoughts. Code::io if
/// a file cannot be read.
Result<RawBodies> record_raw_bodies(graph::Repository& repository,
                                    const import::ImportSessions& import,
                                    const std::vector<std::string>& files);

}  // namespace spoor::proxy
