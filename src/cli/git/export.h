#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/error.h"
#include "store/reader.h"
#include "store/store.h"

namespace spoor::cli::git {

/// What shall become a git repository.
struct Request {
  std::string path;
  std::vector<store::Ref> refs;           ///< full names under refs/heads/ or refs/tags/, each once
  std::string head_ref;                   ///< the branch HEAD is on; empty: HEAD is detached …
  std::optional<store::Oid> head_commit;  ///< … here
};

/// What was written.
struct Exported {
  std::uint64_t commits = 0;
  std::uint64_t objects = 0;
  std::uint64_t absent = 0;                      ///< contents whose bytes are not in the store
  std::map<std::string, std::string> new_names;  ///< refs that git could not have as they are
};

/// Called before each commit, with how many are done and how many there are. An error
/// ends the export.
using Step = std::function<Result<void>(std::uint64_t done, std::uint64_t all)>;

/// Writes the histories of some refs as a bare git repository (docs/adr/0014), whole or
/// not at all. The same commits always have the same git names, in every export. Holds
/// a few hundred bytes a commit in memory, and the states of the lines it works on.
/// Code::conflict when something is at the path already; Code::corrupt when the
/// store is; Code::io.
Result<Exported> export_repository(const store::Reader& reader, const Request& request,
                                   const Step& step);

}  // namespace spoor::cli::git
