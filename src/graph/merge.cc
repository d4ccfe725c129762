#include "graph/merge.h"

#include <algorithm>

#include "store/ancestry.h"

namespace spoor::graph {

Result<Merged> merge(Draft& draft, const store::Reader& reader, const Folder& folder,
                     const std::string& ref, const Oid& source, const MergeRequest& request) {
  const std::optional<Oid> tip = TRY(draft.tip(ref));
  const bool may_move = request.mode == store::Mode::append && !request.no_fast_forward &&
                        request.targets.empty() && !request.digest;
  const bool is_ahead = !tip || (*tip != source && TRY(store::is_ancestor(reader, *tip, source)));
  if (may_move && is_ahead) {
    TRY(draft.move(ref, source));
    return Merged{true, source, {}};
  }

  const auto before = tip ? TRY(folder.at(*tip))->conflicts() : std::vector<Conflict>();
  const Oid commit = TRY(draft.merge(ref, source, request.mode, request.targets,
                                     request.digest ? &*request.digest : nullptr, request.by));
  Merged merged{false, commit, {}};
  for (const Conflict& conflict : TRY(folder.at(commit))->conflicts()) {
    if (std::find(before.begin(), before.end(), conflict) == before.end()) {
      merged.conflicts.push_back(conflict);
    }
  }
  return merged;
}

}  // namespace spoor::graph
