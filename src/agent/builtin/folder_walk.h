#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "agent/builtin/deadline.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// An entry of a folder. Views are borrowed for the call.
struct Entry {
  enum class Kind { file, folder, link, other };
  enum class Step { go_on, skip, end };  ///< skip: do not enter this folder

  Kind kind = Kind::other;
  std::string_view path;  ///< relative to the start of the walk, after `prefix`
  std::string_view name;
  int folder = -1;        ///< the open folder that contains it
  std::size_t depth = 1;  ///< 1: directly in the start folder
};

/// Visits everything in a folder and below it, in byte order of the names, a folder before its
/// contents. Symbolic links are visited but never followed, so nothing outside is reached. Entries
/// that vanish meanwhile are skipped.
///
/// Returns true if the walk was incomplete: more than kMostNames in one folder, deeper than
/// kMostDepth, or an unreadable folder. Returns Code::io; Code::interrupted or Code::denied at the
/// deadline.
Result<bool> walk_folder(Descriptor folder, std::string_view prefix, const Deadline& deadline,
                         const std::function<Entry::Step(const Entry&)>& visit);

constexpr std::size_t kMostNames = 100'000;
constexpr std::size_t kMostDepth = 64;

/// Returns a path as one line: unchanged, or as a JSON string if it has control characters.
std::string shown_path(std::string_view path);

}  // namespace spoor::agent::builtin
