#pragma once

#include <string>
#include <string_view>

#include "compile/turn.h"
#include "store/revision.h"

namespace spoor::graph {

/// Adds to `context` the revisions that look inside turns:
///
/// `:/TEXT` is the newest turn that contains TEXT (search.h), `type:WORD` the newest of that type
/// (or operation), `tag:WORD` the newest with that word among its author's tags. Each is searched
/// on HEAD's history, then on all branches and tags. `REV^{/TEXT}` is the newest on REV's history.
///
/// `REV^{reasoning}` is the last reasoning before an answer; `REV^{answer}` is the answer that a
/// reasoning led to. Each maps to itself. For a tool result they are those of the answer that makes
/// its call.
///
/// `reader` must outlive the returned context.
store::RevisionContext with_insides(const store::Reader& reader, store::RevisionContext context);

}  // namespace spoor::graph
