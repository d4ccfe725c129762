#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::guard::check {

/// The bytes that stand for `{`, `,` and `}` without quotes in a word that may be expanded.
constexpr char kOpenBrace = '\x01';
constexpr char kBraceComma = '\x02';
constexpr char kCloseBrace = '\x03';

/// The word as it is written: the marks above become what they stand for.
std::string without_marks(std::string_view marked);

/// The words that bash(1) makes of one by brace expansion, without empty ones: `a{b,c}` is `ab` and
/// `ac`. Nullopt: more than 64 words, or more than 16 braces, which nobody types. Sequences
/// (`{1..9}`) are no part of this.
std::optional<std::vector<std::string>> expand_braces(std::string_view marked);

}  // namespace spoor::guard::check
