#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compile/turn.h"

namespace spoor::guard {

/// The forms of a commit's texts that an erasure searches for elsewhere: in conversations, and in
/// records kept with them.
///
/// Returns the text itself; the part before a `<system-reminder>` that an agent's program added;
/// and both without the line numbers (`12→`) that a tool for reading adds.
std::vector<std::string> forms_of_text(std::string_view text);

/// Returns the texts in the arguments of a call: strings of at least 24 bytes that contain white
/// space. A shorter string is a word or a path rather than a text.
std::vector<std::string> texts_in(const compile::ToolCall& call);

/// Returns the texts in a provider's item or an attachment, in all forms_of_text(): JSON string
/// values of at least 40 bytes that contain white space. In a list, where a patch has one line per
/// element, only strings of several lines. Empty if `bytes` is not JSON.
std::vector<std::string> texts_in_json(std::string_view bytes);

/// Returns the words of a text that may identify a person or grant access, in order: those that the
/// built-in rules of redaction find, and words of 6 to 64 letters and digits, `-` and `.` with at
/// least four digits that are not a date. At most 64. Elsewhere, such a word reveals a part of the
/// text.
Result<std::vector<std::string>> identifying_words(std::string_view text);

}  // namespace spoor::guard
