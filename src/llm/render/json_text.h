#pragma once

#include <string>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::llm::render {

/// Appends `text` as a JSON string that every strict parser accepts. Bytes that are not UTF-8
/// become U+FFFD, including half a surrogate pair.
void append_string(std::string& out, std::string_view text);

/// Appends `"key":` to an open object or array, after a comma if one is needed.
void append_key(std::string& out, std::string_view key);
void append_comma(std::string& out);
/// Appends `"key":"text"`.
void append_member(std::string& out, std::string_view key, std::string_view text);

/// Returns `text` for a strict reader: unchanged if it is valid UTF-8 without raw control
/// characters, else in canonical form. Empty if it is not JSON of this type.
std::string strict_or_empty(std::string_view text, json::Type type);

/// Returns a call's arguments as a JSON object: the provider's own text if it is one, else wrapped
/// as `{"arguments":"…"}`.
std::string arguments_object(std::string_view arguments);

}  // namespace spoor::llm::render
