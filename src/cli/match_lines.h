#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_writer.h"
#include "cli/terminal/output.h"

namespace spoor::cli {

using api::JsonWriter;

/// The place of a match in a text, in bytes.
struct Match {
  std::size_t begin = 0;
  std::size_t size = 0;

  bool operator==(const Match&) const = default;
};

/// Returns the places of `needle` in `text`, from left to right, without overlaps. Returns none for
/// an empty needle.
std::vector<Match> matches_of(std::string_view text, std::string_view needle);

/// A function that finds matches in a text, with the promises of matches_of().
using Matcher = std::function<std::vector<Match>(std::string_view text)>;

/// Prints the lines of `text` that contain a match, after `indent`, with the matches in their
/// style: at most `limit` lines, then the number of further ones. A line is cut around its first
/// match at a terminal, and elsewhere from 4,096 bytes on. `matches` are in the order of
/// matches_of(); a match may span several lines.
void print_match_lines(Output& out, Style style, std::string_view text,
                       const std::vector<Match>& matches, std::string_view indent,
                       std::size_t limit);

/// Writes `[{line, offset, bytes, text}]` as the next value: the line number from 1, the match's
/// offset in the whole text and its length, and the line on which it begins.
void write_matches(JsonWriter& json, std::string_view text, const std::vector<Match>& matches);

}  // namespace spoor::cli
