#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "api/json_writer.h"
#include "compile/turn.h"
#include "graph/call_text.h"

namespace spoor::api {

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

/// Writes `[{line, offset, bytes, text}]` as the next value: the line number from 1, the match's
/// offset in the whole text and its length, and the line on which it begins.
void write_matches(JsonWriter& json, std::string_view text, const std::vector<Match>& matches);

/// Returns the texts in a call's arguments that contain a match.
std::vector<graph::CallText> texts_in(const compile::ToolCall& call, const Matcher& matcher);

/// Writes member `arguments`: `[{tool, name, matches}]`, the texts in the arguments of calls that
/// contain a match. `name` is the text's place in the arguments; null means all arguments as the
/// provider wrote them.
void write_call_matches(JsonWriter& json, const std::vector<compile::ToolCall>& calls,
                        const Matcher& matcher);

}  // namespace spoor::api
