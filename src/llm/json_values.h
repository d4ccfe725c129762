#pragma once

#include <string_view>
#include <vector>

namespace spoor::llm {

/// Skips a byte order mark and a leading `<think>…</think>` of a model's text. Returns empty if
/// `</think>` is missing.
std::string_view without_preface(std::string_view text);

/// Finds the JSON values in a model's text and returns them as parts of `text`: first the value
/// after each opening code fence (language `json` in any case, or none), then the objects in the
/// text. Skips the preface (without_preface), the inside of values, and a value cut off by the end
/// of the text. Linear time (json::Finder).
///
/// A fence is three or more backticks, or tildes at the start of a line. A fence with a language
/// opens a block. A fence without one closes the open block, or opens one if none is open.
std::vector<std::string_view> json_values(std::string_view text);

}  // namespace spoor::llm
