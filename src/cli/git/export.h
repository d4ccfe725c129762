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

/// The input of an export to a git repository.
struct Request {
  std::string path;
  std::vector<store::Ref> refs;           ///< full names under refs/heads/ or refs/tags/, each once
  std::string head_ref;                   ///< the branch HEAD is on; empty: HEAD is detached …
  std::optional<store::Oid> head_commit;  ///< … here
};

/// The results of an export.
struct Exported {
  std::uint64_t commits = 0;
  std::uint64_t objects = 0;
  std::uint64_t absent = 0;                      ///< contents whose bytes are not in the store
  std::map<std::string, std::string> new_names;  ///< refs whose names git does not accept
};

/// Called before each commit, with the number of commits done and of all commits. An error ends the
/// export.
using Step = std::function<Result<void>(std::uint64_t done, std::uint64_t all)>;

/// Writes the histories of some refs as a bare git repository (docs/adr/0014), completely or not at
/// all. The same commits always have the same git names, in every export. Uses a few hundred bytes
/// of memory per commit, and the states of the lines in progress. Returns Code::conflict if the
/// path exists, Code::corrupt if the store is corrupt, or Code::io.
Result<Exported> export_repository(const store::Reader& reader, const Request& request,
                                   const Step& step);

}  // namespace spoor::cli::git
