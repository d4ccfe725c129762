#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spoor::llm {

/// Parses the exit code in a result's text, in the frame that `source`, an importer's name, puts
/// around a command's output (docs/importing.md, "Exit codes"). Ignores the output itself. Claude
/// Code frames errors only.
std::optional<std::int64_t> read_source_exit_code(std::string_view source, std::string_view text,
                                                  bool is_error);

}  // namespace spoor::llm
