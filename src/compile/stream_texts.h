#pragma once

#include <map>
#include <string>
#include <string_view>

namespace spoor::compile {

/// Returns the texts of JSON, or of lines of JSON with or without `data:` before each, joined by
/// the names of their members, in order. A stream splits a text anywhere; joined, it can be
/// searched.
std::map<std::string, std::string> joined_texts(std::string_view text);

}  // namespace spoor::compile
