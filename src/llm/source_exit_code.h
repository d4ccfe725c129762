#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spoor::llm {

/// Returns true if tool results of this importer's sessions contain a command's exit code only in
/// their text.
bool tells_exit_code_in_text(std::string_view source);

/// Parses the exit code in a result's text, in the frame that `source`, an importer's name, puts
/// around a command's output (docs/importing.md, "Exit codes"). Ignores the output itself. Claude
/// Code frames errors only.
std::optional<std::int64_t> read_source_exit_code(std::string_view source, std::string_view text,
                                                  bool is_error);

}  // namespace spoor::llm
