#pragma once

#include <string>
#include <string_view>

#include "compile/turn.h"
#include "store/revision.h"

namespace spoor::graph {

/// What revisions that look inside turns need, added to `context`: `:/TEXT` is the
/// newest turn that says TEXT (search.h), `type:WORD` the newest of that type (or
/// operation), `tag:WORD` the newest with that word of its author's, each on HEAD's
/// history, else on any branch or tag; `REV^{/TEXT}` is the newest on REV's history.
/// `REV^{reasoning}` is the last thought before an answer, and `REV^{answer}` the
/// answer that a thought led to; each is its own. Of a tool result they are those of the answer
/// that asks for its call.
///
/// `reader` must outlive what is returned.
store::RevisionContext with_insides(const store::Reader& reader, store::RevisionContext context);

}  // namespace spoor::graph
