#pragma once

#include <cstddef>
#include <string_view>

#include "agent/tool.h"

namespace spoor::agent::mcp {

/// The limits of what is kept of a result.
struct ResultLimits {
  std::size_t text = 30'000;               ///< bytes that the model sees
  std::size_t attached = 4 * 1024 * 1024;  ///< bytes of an attachment
  std::size_t attachments = 8;
};

/// Reads the result object of `tools/call` (Tools, "Tool Result"). Texts are joined by line ends.
/// Structured content is the result if there is no text. Pictures, sounds and binary resources are
/// attached, and a line in the text names each, as it does links. `isError` is a failed result. A
/// longer text is cut, and attached.
ToolResult read_result(std::string_view json, const ResultLimits& limits);

}  // namespace spoor::agent::mcp
