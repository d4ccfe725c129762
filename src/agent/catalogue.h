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

/// Which tools a run may use; the same for all planners.
///
///   AllTools        every registered one
///   ids             these, in this order; unknown ones are shown to the model as such
///   LastTools       the n registered last; 0 is none
///   a function      called once, at the start of the run; gives ids
struct AllTools {};
struct LastTools {
  std::int64_t count = 0;  ///< negative is Code::invalid
};
using ToolSelection = std::variant<AllTools, std::vector<std::string>, LastTools,
                                   std::function<std::vector<std::string>()>>;

/// What of the selection stays: by a predicate, or by words of which one at least is in the id or
/// the description, case ignored. A text without words keeps all.
using ToolFilter = std::variant<std::monostate, std::string, std::function<bool(const Tool&)>>;

/// Reads a selection as options write it: null, a list of ids, or a number. Code::invalid for
/// anything else, a boolean above all.
Result<ToolSelection> read_tool_selection(const json::Value& value);

/// The tools of one run.
struct Catalogue {
  struct Entry {
    std::string id;
    const Tool* tool = nullptr;  ///< null: not registered
  };
  std::vector<Entry> entries;
  std::vector<std::string> warnings;  ///< for people

  /// Null when `id` is not offered here.
  const Entry* find(std::string_view id) const;
};

/// More discovered tools than this, with no filter set, earn a warning.
constexpr std::size_t kManyTools = 30;

/// Resolves a selection. The registry must outlive the result. Code::invalid as said above.
Result<Catalogue> discover_tools(const Registry& registry, const ToolSelection& selection,
                                 const ToolFilter& filter);

}  // namespace spoor::agent
