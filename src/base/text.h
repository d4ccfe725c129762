#pragma once

#include <string>
#include <string_view>

// Small work on ASCII text, where a format knows no other letters, and on paths.
namespace spoor {

/// The white space of ASCII.
constexpr std::string_view kWhiteSpace = " \t\r\n\f\v";

/// `text` without the characters of `space` at its ends; a part of it.
std::string_view trimmed(std::string_view text, std::string_view space = kWhiteSpace);

/// A–Z as its small letter, and any other byte as it is.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The same of each byte.
std::string lowered(std::string_view text);

/// Is the path the folder's own, or one within it? By the texts alone: both are relative to the
/// same folder, or absolute. Everything is within `/`, and within an empty folder.
bool is_at_or_below(std::string_view path, std::string_view folder);

}  // namespace spoor
