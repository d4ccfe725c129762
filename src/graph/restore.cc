#include "graph/restore.h"

#include <fmt/format.h>

#include "graph/directives.h"

namespace spoor::graph {

Result<Oid> restore(Draft& draft, const store::Reader& reader, const Folder& folder,
                    const std::string& ref, const Oid& target, std::size_t version,
                    const Signed& by) {
  const Oid tip = TRY(draft.tip_of(ref));
  const auto state = TRY(folder.at(tip));
  const auto versions = TRY(versions_of(reader, *state, tip, target));
  if (version >= versions.size()) {
    return not_found(fmt::format("{} has {} version{}, counted from 0", target.hex(12),
                                 versions.size(), versions.size() == 1 ? "" : "s"),
                     fmt::format("list them with 'spoor versions {}'", target.hex(12)));
  }
  const std::string text = *TRY(reader.content(versions[version].content));
  return draft.edit(ref, versions[0].commit, Edit{.text = text, .tool_calls = {}}, by);
}

}  // namespace spoor::graph
