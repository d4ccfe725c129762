#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/turns/matches.h"
#include "cli/terminal/output.h"

namespace spoor::cli {

using api::Match;
using api::Matcher;

/// Prints the lines of `text` that contain a match, after `indent`, with the matches in their
/// style: at most `limit` lines, then the number of further ones. A line is cut around its first
/// match at a terminal, and elsewhere from 4,096 bytes on. `matches` are in the order of
/// matches_of(); a match may span several lines.
void print_match_lines(Output& out, Style style, std::string_view text,
                       const std::vector<Match>& matches, std::string_view indent,
                       std::size_t limit);

}  // namespace spoor::cli
