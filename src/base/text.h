#pragma once

#include <string>
#include <string_view>

// Helpers for ASCII text, for formats that allow no other letters, and for paths.
namespace spoor {

/// ASCII white space.
constexpr std::string_view kWhiteSpace = " \t\r\n\f\v";

/// Returns the part of `text` without the characters of `space` at both ends.
std::string_view trimmed(std::string_view text, std::string_view space = kWhiteSpace);

/// Returns the lower-case letter of A–Z, and any other byte unchanged.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Applies lower() to each byte.
std::string lowered(std::string_view text);

/// Replaces each `from`, which is not empty, by `to`, from left to right.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// Returns whether `path` is `folder` or within it. Compares only the texts: both must be absolute,
/// or relative to the same folder. Everything is within `/`, and within an empty folder.
bool is_at_or_below(std::string_view path, std::string_view folder);

}  // namespace spoor
