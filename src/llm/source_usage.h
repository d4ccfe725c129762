#pragma once

#include <optional>

#include "compile/json/reader.h"
#include "llm/money.h"
#include "llm/usage.h"

namespace spoor::llm {

/// What a provider's or an agent's own object says that an answer took.
struct SourceUsage {
  Usage usage;
  std::optional<Money> cost;  ///< as the source reckoned it; of most there is none
};

/// Reads the object that an imported turn has as `usage`, whoever wrote it: known by the names of
/// its members (docs/importing.md, "Tokens"). Nothing is known of any other.
SourceUsage read_source_usage(const compile::json::Value& usage);

}  // namespace spoor::llm
