#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compile/turn.h"

namespace spoor::guard {

/// What erasing looks for elsewhere when a commit's texts go: a text as it was said, and what
/// stands in what was kept along with it.
///
/// Of a text: itself; what stands before a `<system-reminder>` that an agent's program added; both
/// without the numbers (`12→`) that a tool for reading puts before lines.
std::vector<std::string> forms_of_text(std::string_view text);

/// The texts in the arguments of a call: strings of 24 bytes and more with white space in them. A
/// shorter one is a word or a path rather than a text.
std::vector<std::string> texts_in(const compile::ToolCall& call);

/// The texts in a provider's item or an attachment, in all forms_of_text(): the values of JSON that
/// are strings of 40 bytes and more with white space in them. In a list, where the lines of a patch
/// stand one by one, only those of several lines. None where it is no JSON.
std::vector<std::string> texts_in_json(std::string_view bytes);

/// Words of a text that may name somebody or open something, in the order in which they stand: what
/// the built-in rules of redaction find, and words of 6 to 64 letters and digits, `-` and `.` with
/// four digits or more that are no date. At most 64; where these stand elsewhere, the text is told
/// in part.
Result<std::vector<std::string>> identifying_words(std::string_view text);

}  // namespace spoor::guard
