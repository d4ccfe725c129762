#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/registry.h"
#include "base/json/reader.h"

namespace spoor::agent {

/// The tools that a run may use; the same for all planners.
///
///   AllTools        every registered tool
///   ids             these, in this order; unknown ones are shown to the model as such
///   LastTools       the last n registered; 0: none
///   a function      called once, at the start of the run; returns ids
struct AllTools {};
struct LastTools {
  std::int64_t count = 0;  ///< negative is Code::invalid
};
using ToolSelection = std::variant<AllTools, std::vector<std::string>, LastTools,
                                   std::function<std::vector<std::string>()>>;

/// Narrows a selection: by a predicate, or by words. A tool stays if its id or description contains
/// at least one of the words, ignoring case. A text without words keeps all tools.
using ToolFilter = std::variant<std::monostate, std::string, std::function<bool(const Tool&)>>;

/// Reads a selection from an option: null, a list of ids, or a number. Returns Code::invalid for
/// anything else, including a boolean.
Result<ToolSelection> read_tool_selection(const json::Value& value);

/// The tools of one run.
struct Catalogue {
  struct Entry {
    std::string id;
    const Tool* tool = nullptr;  ///< null: not registered
  };
  std::vector<Entry> entries;
  std::vector<std::string> warnings;  ///< for people

  /// Returns null if the run does not offer `id`.
  const Entry* find(std::string_view id) const;
};

/// More discovered tools than this, without a filter, cause a warning.
constexpr std::size_t kManyTools = 30;

/// Resolves a selection. `registry` must outlive the result. Returns Code::invalid for a negative
/// LastTools::count.
Result<Catalogue> discover_tools(const Registry& registry, const ToolSelection& selection,
                                 const ToolFilter& filter);

}  // namespace spoor::agent
