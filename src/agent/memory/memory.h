#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"

namespace spoor::agent::memory {

using compile::Oid;

/// A fact that an agent keeps for later runs.
struct Memory {
  std::string content;
  std::string topic;                 ///< a word or two; may be empty
  std::string scope;                 ///< where it applies: a project, a host; empty: everywhere
  std::string agent;                 ///< the agent that learned it; may be empty
  std::optional<double> confidence;  ///< from 0 to 1

  bool operator==(const Memory&) const = default;
};

struct Remembered {
  Oid commit;
  Memory memory;
};

/// A query for memories; every given field must match.
struct Recall {
  std::string context;  ///< words; best matches first; at least one must match
  std::string topic;    ///< case ignored
  std::string scope;    ///< memories that apply there or everywhere
  std::size_t limit = 10;
};

/// Memories that agents keep between runs: `note` commits on `refs/memory/shared` or
/// `refs/memory/private/<agent>`, one for each memory. They are never compiled and never deleted;
/// the newest comes first. Thread-safe, and safe for several processes, as the repository is.
class Store {
 public:
  /// `agent` must be valid in a branch name; empty: no private memories.
  Store(graph::Repository& repository, std::string agent);

  /// Stores a memory. The same content, topic and scope again returns the existing commit. Returns
  /// Code::invalid for an empty content or an invalid confidence.
  Result<Oid> learn(const Memory& memory, bool is_private);

  /// Searches shared and private memories: best match first, then higher confidence, then newer.
  Result<std::vector<Remembered>> recall(const Recall& recall) const;

 private:
  Result<std::vector<Remembered>> all_on(const std::string& ref) const;

  graph::Repository& repository_;
  const std::string agent_;
};

/// Return the ref of the shared memories, and of one agent's private ones.
std::string shared_ref();
std::string private_ref(std::string_view agent);

}  // namespace spoor::agent::memory
