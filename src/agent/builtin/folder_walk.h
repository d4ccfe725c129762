#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "agent/builtin/deadline.h"
#include "agent/builtin/descriptor.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// Something in a folder. Views are borrowed for the call.
struct Entry {
  enum class Kind { file, folder, link, other };
  enum class Step { go_on, skip, end };  ///< skip: not into this folder

  Kind kind = Kind::other;
  std::string_view path;  ///< from where the walk began, after its prefix
  std::string_view name;
  int folder = -1;        ///< the open folder that it is in
  std::size_t depth = 1;  ///< 1: directly where the walk began
};

/// Visits what is in a folder and below it, in the order of the names' bytes, a folder before what
/// is in it. Symbolic links are entries and never followed, so nothing outside is reached. What
/// vanishes meanwhile is passed over.
///
/// Answers whether it was not all: more than kMostNames in one folder, deeper than kMostDepth, or a
/// folder that may not be read. Code::interrupted or denied at the deadline, io.
Result<bool> walk_folder(Descriptor folder, std::string_view prefix, const Deadline& deadline,
                         const std::function<Entry::Step(const Entry&)>& visit);

constexpr std::size_t kMostNames = 100'000;
constexpr std::size_t kMostDepth = 64;

/// A path as one line: as it is, or as a JSON string where it has control characters.
std::string shown_path(std::string_view path);

}  // namespace spoor::agent::builtin
