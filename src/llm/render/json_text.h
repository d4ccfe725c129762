#pragma once

#include <string>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::llm::render {

/// Adds `text` as a JSON string that every strict parser takes: what is no UTF-8, half a surrogate
/// pair too, is U+FFFD.
void append_string(std::string& out, std::string_view text);

/// Adds `"key":` behind a comma where one is needed, to an object or array under way.
void append_key(std::string& out, std::string_view key);
void append_comma(std::string& out);
/// Adds `"key":"text"`.
void append_member(std::string& out, std::string_view key, std::string_view text);

/// `text` as a strict reader takes it: as it is where it holds no raw control characters and is
/// sound UTF-8, else in canonical form. Nothing when it is no JSON of this type.
std::string strict_or_empty(std::string_view text, json::Type type);

/// The arguments of a call as a JSON object: the provider's own text where it is one; what is none
/// is wrapped as `{"arguments":"…"}`, not dropped.
std::string arguments_object(std::string_view arguments);

}  // namespace spoor::llm::render
