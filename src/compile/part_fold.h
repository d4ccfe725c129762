#pragma once

#include <cstdint>
#include <optional>

#include "compile/line_index.h"
#include "compile/state.h"
#include "store/reader.h"

namespace spoor::compile {

/// The entries that a partial fold must not leave out, apart from those that it always has.
struct PartOptions {
  std::uint64_t newest = 0;               ///< those of at least so many of the last commits
  std::optional<store::Oid> wanted = {};  ///< that of this commit, if it made one
};

/// Folds the line to `tip` without reading all of it. The state has the entries that `options`
/// name, those that are pinned, and those that a directive names; State::complete_from() tells
/// where the newest begin. Each is as in the complete state, they have the same order, and the
/// settings are the same; select_part() makes a prompt of it. Takes time proportional to those
/// entries and to the logarithm of the line's length, if `index` is usable.
///
/// Returns nullopt if only a complete fold will do: the line has a merge, is too short, is damaged,
/// consists of directives to a good part, or has erased calls or something pinned that may belong
/// to neighbours: an answer, a result, or anything with calls. Returns Code::interrupted.
Result<std::optional<State>> fold_part(const store::Reader& reader, const LineIndex& index,
                                       const store::Oid& tip, const PartOptions& options);

}  // namespace spoor::compile
