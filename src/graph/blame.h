#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/directives.h"
#include "graph/repository.h"

namespace spoor::graph {

using compile::Prompt;
using compile::State;
using compile::ToolCall;
using store::Oid;

/// What made one entry of a prompt what it is there.
struct Origin {
  Oid commit;              ///< the turn, or the summary that stands there
  Oid said_by;             ///< whose words are shown: the turn itself, or an edit of it
  std::vector<Oid> edits;  ///< all of them, in chain order
  std::vector<Annotation> annotations;  ///< in chain order
  std::vector<Oid> sources;             ///< of a summary: what it stands for, in prompt order
  /// The annotation without which it would not be in the prompt; nothing where its
  /// type alone brings it in.
  std::optional<Oid> shown_by;
};

/// Of the entry that `commit` made in `state`, the fold of `tip`. Errors as
/// find_entry().
Result<Origin> origin_of(const store::Reader& reader, const State& state, const Oid& tip,
                         const Oid& commit);

/// One place where a prompt says a phrase, and how the phrase came there.
struct Occurrence {
  std::size_t message = 0;  ///< of the prompt, counted from 0
  Oid commit;               ///< of the message's parts, the one that says it
  /// The commit that brought the phrase: the turn itself, an edit of it, or the
  /// summary. Edits that came later and kept the phrase brought nothing.
  Oid brought_by;
  std::vector<Oid> kept_by;     ///< those later edits, in chain order
  std::optional<Oid> shown_by;  ///< as in Origin
  /// Of a summary: the turns (or summaries whose turns do not) it stands for that
  /// say the phrase, in prompt order.
  std::vector<Oid> sources;
};

/// Does a message with this text and these calls say `phrase`? Exact bytes of the
/// text, of a call's name, or of its arguments: of the strings in them, and of the whole
/// as the provider wrote it.
bool says(std::string_view text, const std::vector<ToolCall>* calls, std::string_view phrase);

/// Every message of `prompt` that says `phrase`, in prompt order, each part of a
/// message by itself; none when the prompt does not say it. A phrase that two parts
/// say only together belongs to the one in which it begins. `prompt` was compiled
/// from a commit of `repository`.
Result<std::vector<Occurrence>> why(const Repository& repository, const Prompt& prompt,
                                    std::string_view phrase);

}  // namespace spoor::graph
