#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/repository.h"
#include "store/result.h"

namespace spoor::import {

/// A commit of a shorter copy of a source, and the one of a longer copy that replaces it.
using Superseded = std::pair<store::Oid, store::Oid>;

/// Compares the end of one line with another line: `longer` supersedes `shorter` if each turn at
/// the end of `shorter`, from where the two part, is in `longer` too, with the same words, calls
/// and facts or more of them.
///
/// A source that still grows ends within an answer: its token count, its calls or their results are
/// not written yet. The same records in a longer copy of the source become other commits, which
/// supersede them.
///
/// Returns the commits of `shorter` that are not in `longer`, each with its successor; nullopt if
/// `longer` does not supersede `shorter`. That is also the answer if one of them was not made by
/// the importer of `tool`, if there are more than 256, and if something cannot be read.
std::optional<std::vector<Superseded>> superseded(const graph::Repository& repository,
                                                  const store::Oid& shorter,
                                                  const store::Oid& longer, std::string_view tool);

/// Returns true if `there` is made of the record that `ours` is made of, when less of it was known.
/// Both say the same. A turn without a time is known by its answer's name. Usage without an end
/// (`finish_reason`) is that of an answer that was not finished.
bool is_earlier_reading(const compile::Turn& there, const compile::Turn& ours);

}  // namespace spoor::import
