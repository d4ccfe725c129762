#pragma once

#include <string>
#include <string_view>

// Small work on ASCII text, where a format knows no other letters.
namespace spoor::store {

/// The white space of ASCII.
constexpr std::string_view kWhiteSpace = " \t\r\n\f\v";

/// `text` without the characters of `space` at its ends; a part of it.
std::string_view trimmed(std::string_view text, std::string_view space = kWhiteSpace);

/// The same with each of A–Z as its small letter; no other byte changes.
std::string lowered(std::string_view text);

}  // namespace spoor::store
