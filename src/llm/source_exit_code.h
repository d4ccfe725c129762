#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spoor::llm {

/// Do the results of this importer's sessions tell in their texts how a command ended, while
/// nothing else says that it failed?
bool tells_exit_code_in_text(std::string_view source);

/// The exit code that the text of a result tells, in the frame that `source`, an importer's name,
/// puts around the output of a command (docs/importing.md, "Exit codes"). What stands within the
/// output is not read. Of Claude Code only an error has such a frame.
std::optional<std::int64_t> read_source_exit_code(std::string_view source, std::string_view text,
                                                  bool is_error);

}  // namespace spoor::llm
