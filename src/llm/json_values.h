#pragma once

#include <string_view>
#include <vector>

namespace spoor::llm {

/// A model's text behind a byte order mark, and behind `<think>…</think>` if it begins with that:
/// empty when the thought does not end.
std::string_view without_preface(std::string_view text);

/// The JSON values in a model's text, as bytes of it: first what stands behind each opening code
/// fence (language `json` in any case, or none), then the objects in the text. What precedes the
/// answer (without_preface) is stepped over; so is the inside of a value, and a value that the end
/// of the text cuts off. Time is linear in the text (json::Finder).
///
/// A fence is three or more backticks, or tildes that begin a line. One with a language opens; one
/// without closes what is open, else it opens.
std::vector<std::string_view> json_values(std::string_view text);

}  // namespace spoor::llm
