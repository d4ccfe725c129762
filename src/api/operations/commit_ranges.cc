#include "api/operations/commit_ranges.h"

#include <fmt/format.h>

#include "graph/rewrite.h"
#include "store/revision.h"

namespace spoor::api {

using store::Oid;

Result<std::vector<Oid>> named_commits(
    const store::Reader& reader, const std::vector<std::string>& revisions,
    const std::function<Result<Oid>(const std::string&)>& resolve) {
  const auto side = [&](const std::string& name) { return resolve(name.empty() ? "HEAD" : name); };
  std::vector<Oid> commits;
  for (const std::string& revision : revisions) {
    const auto range = store::split_range(revision);
    if (!range || range->is_symmetric) {  // With three dots: a single merge base.
      commits.push_back(TRY(resolve(revision)));
      continue;
    }
    const Oid from = TRY(side(range->from));
    const Oid to = TRY(side(range->to));
    const auto own = TRY(graph::own_commits(reader, to, from));
    if (own.empty()) {
      return invalid(fmt::format("'{}' contains no commit", revision),
                     "A..B is what is in B but not in A: name the older commit first");
    }
    commits.insert(commits.end(), own.begin(), own.end());
  }
  return commits;
}

}  // namespace spoor::api
