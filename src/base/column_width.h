#pragma once

namespace spoor {

/// Returns how many columns of a terminal a character takes: 0 (marks, format characters, medial
/// Hangul), 1 or 2 (East Asian wide characters, emoji). The data is Unicode's, by utf8proc.
int column_width(char32_t code);

/// True if this version of Unicode has no such character. A later one may have: a letter, a mark or
/// an emoji.
bool is_unassigned(char32_t code);

}  // namespace spoor
