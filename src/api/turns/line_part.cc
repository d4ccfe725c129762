#include "api/turns/line_part.h"

#include <algorithm>

#include "store/ancestry.h"

namespace spoor::api {

Result<std::vector<TurnView>> read_line_part(const store::Reader& reader, const Oid& head,
                                             std::uint64_t from, std::uint64_t count) {
  const std::uint64_t length = TRY(reader.commit(head))->depth + 1;
  if (from >= length || count == 0) return std::vector<TurnView>();
  const std::uint64_t size = std::min(count, length - from);
  const Oid last = TRY(store::ancestor_at(reader, head, from + size - 1));
  std::vector<NamedCommit> commits;
  TRY(reader.run(last, size, [&](const NamedCommit& commit) {
    commits.push_back(commit);
    return true;
  }));
  std::ranges::reverse(commits);
  return read_views(reader, commits);
}

}  // namespace spoor::api
