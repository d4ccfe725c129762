#pragma once

#include <string>
#include <vector>

#include "compile/state.h"

namespace spoor::graph {

using compile::Entry;
using compile::State;
using store::Oid;
using store::Priority;

/// The entry of `state`, the fold of `tip`, that `target` made. Code::not_found when
/// `target` is not stored or not on this history, Code::invalid when it is on it
/// and no prompt entry. Lives as long as the state.
Result<const Entry*> find_entry(const store::Reader& reader, const State& state, const Oid& tip,
                                const Oid& target);

/// That find_entry() would find `target`, told from the commits alone: for a tip
/// that need not be folded. Errors as find_entry().
Result<void> check_entry(const store::Reader& reader, const Oid& tip, const Oid& target);

/// One text that a message had.
struct Version {
  Oid commit;   ///< the message itself, or an edit of it
  Oid content;  ///< the text from there on, as the commit says

  bool operator==(const Version&) const = default;
};

/// A message and its edits on the chain of `tip`, in chain order: version 0 is the
/// original. `target` is the message or one of these edits. Errors as find_entry().
Result<std::vector<Version>> versions_of(const store::Reader& reader, const State& state,
                                         const Oid& tip, const Oid& target);

/// One explicit priority that a message was given.
struct Annotation {
  Oid commit;  ///< an annotate, or the merge whose mode skipped the message
  Priority priority = Priority::normal;
  std::string reason;  ///< empty when none was given

  bool operator==(const Annotation&) const = default;
};

/// The explicit priorities of a message on the chain of `tip`, in chain order.
/// Errors as find_entry().
Result<std::vector<Annotation>> annotations_of(const store::Reader& reader, const State& state,
                                               const Oid& tip, const Oid& target);

}  // namespace spoor::graph
