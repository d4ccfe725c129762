#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"

namespace spoor::agent::memory {

using compile::Oid;

/// Something that an agent wants to know in a later run.
struct Memory {
  std::string content;
  std::string topic;                 ///< a word or two; may be empty
  std::string scope;                 ///< where it holds: a project, a host; empty: everywhere
  std::string agent;                 ///< who learned it; may be empty
  std::optional<double> confidence;  ///< from 0 to 1

  bool operator==(const Memory&) const = default;
};

struct Remembered {
  Oid commit;
  Memory memory;
};

/// Which memories are asked for; all that is given has to fit.
struct Recall {
  std::string
      context;        ///< words; those that share most of them come first, and those with none not
  std::string topic;  ///< case ignored
  std::string scope;  ///< those that hold there, or everywhere
  std::size_t limit = 10;
};

/// What agents remember from run to run: `note` commits on a ref of its own, `refs/memory/shared`
/// or `refs/memory/private/<agent>`, one for each thing. Nothing there is ever compiled; what was
/// learned stays, and the newest comes first. Safe from several threads and processes, as the
/// repository is.
class Store {
 public:
  /// `agent` as in the name of a branch; empty: there is nothing private.
  Store(graph::Repository& repository, std::string agent);

  /// Keeps it; the same content, topic and scope again is the commit that is there already.
  /// Code::invalid for an empty content or a confidence that is none.
  Result<Oid> learn(const Memory& memory, bool is_private);

  /// Of the shared and of the private ones: best fit first, then the surer, then the newer.
  Result<std::vector<Remembered>> recall(const Recall& recall) const;

 private:
  Result<std::vector<Remembered>> all_on(const std::string& ref) const;

  graph::Repository& repository_;
  const std::string agent_;
};

/// `refs/memory/shared`, and that of one agent alone.
std::string shared_ref();
std::string private_ref(std::string_view agent);

}  // namespace spoor::agent::memory
