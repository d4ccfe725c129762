#pragma once

#include <string>
#include <string_view>

#include "api/turns/turn_view.h"

namespace spoor::cli {

using api::TurnView;

/// Returns a text as a fenced block of Markdown (CommonMark). The fence is longer than any run of
/// backticks inside, so no text ends its own block. `info` is one of our own words, such as `json`.
std::string fenced(std::string_view text, std::string_view info = {});

/// Returns any text of one line as inline code.
std::string inline_code(std::string_view text);

/// Returns a turn as a section of a page: type, time and id as its heading, then its text, calls
/// and attached data, each in its own block.
std::string markdown_of(const TurnView& view);

}  // namespace spoor::cli
