#pragma once

#include <cstddef>
#include <string_view>

namespace spoor::llm {

/// Returns a model's name without the date of a snapshot: `claude-opus-4-5` for
/// `claude-opus-4-5-20251101`. Part of `model`.
std::string_view undated(std::string_view model);

/// Returns true if a model's name fits `pattern`, in which `*` is any text, with or without the
/// date of a snapshot (`-20260929`, `-2026-09-29`).
bool fits_name(std::string_view pattern, std::string_view model);

/// Returns the length of a pattern without its `*`: of several that fit, the longest is meant.
std::size_t pattern_length(std::string_view pattern);

}  // namespace spoor::llm
