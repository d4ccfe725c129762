#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graph/repository.h"

namespace spoor::cli {

/// The largest file that is kept.
constexpr std::size_t kMostOfKeptFile = 256U << 20U;

/// Keeps the bytes of the file that the line `branch` (a short name) was imported from, as a note
/// on `refs/sources/files/BRANCH`, which has no author and no time. Does nothing if they are the
/// last ones kept there.
Result<void> keep_file(graph::Repository& repository, const std::string& branch,
                       std::string_view bytes);

/// Returns the bytes that were kept last; nullopt: none were.
Result<std::optional<std::string>> kept_file(const graph::Repository& repository,
                                             const std::string& branch);

}  // namespace spoor::cli
