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

/// Where something was found in a text, in bytes.
struct Match {
  std::size_t begin = 0;
  std::size_t size = 0;

  bool operator==(const Match&) const = default;
};

/// Where `needle` stands in `text`, from left to right, none within another. None
/// for an empty needle.
std::vector<Match> matches_of(std::string_view text, std::string_view needle);

/// Where something stands in a text, in the manner of matches_of().
using Matcher = std::function<std::vector<Match>(std::string_view text)>;

/// The lines of `text` that hold a match, behind `indent`, the matches in their
/// style; at most `limit` of them, then how many more there are. Where a person
/// looks, and otherwise from 4,096 bytes on, a line is cut around its first match.
/// `matches` stand as matches_of() gives them; one may go over several lines.
void print_match_lines(Output& out, Style style, std::string_view text,
                       const std::vector<Match>& matches, std::string_view indent,
                       std::size_t limit);

/// `[{line, offset, bytes, text}]` as the next value: the line counted from 1, where
/// the match begins in the whole text and how long it is, and the line it begins on.
void write_matches(JsonWriter& json, std::string_view text, const std::vector<Match>& matches);

}  // namespace spoor::cli
