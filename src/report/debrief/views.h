#pragma once

#include <functional>
#include <string>

#include "report/debrief/debrief.h"

// The ways to show a debrief. Texts of the run are shown as its own words and have no effect.
namespace spoor::report::debrief {

struct TreeOptions {
  /// Returns the name of a commit; empty: its first eight digits.
  std::function<std::string(const store::Oid&)> short_id = {};
  std::size_t most = 40;  ///< entries of a section to show: its beginning and its end
};

/// Returns the debrief as a tree of lines, each with its line end: actions and reasons, each reason
/// next to the actual result of its call, and the contradictions with the record (docs/debrief.md).
/// Every text of the run is within one line; the caller makes it harmless.
std::string tree_text(const Debrief& debrief, const TreeOptions& options = {});

/// Returns the debrief as the tree that readers of Reactive Agents traces know, without a line end
/// after its last line. Texts are cut but not escaped: the caller makes them harmless.
std::string classic_text(const Debrief& debrief);

/// Returns the debrief as a Markdown document (CommonMark), with the section `## Decision
/// Rationale`. Texts of the run are escaped, so that they have no effect.
std::string to_markdown(const Debrief& debrief);

/// Returns the debrief as one HTML file: no script, no external content, and a content security
/// policy that allows neither. Every text of the run is escaped; characters that control a terminal
/// or change the direction of text are shown by their code.
std::string to_html(const Debrief& debrief);

/// Returns the debrief as one JSON object, canonical (keys sorted, no white space):
/// docs/cli-json.md, "Debrief". Members are only ever added.
std::string to_json(const Debrief& debrief);

/// Returns only name, goal, end and counts, with the same member names.
std::string to_json_summary(const Debrief& debrief);

/// Returns one entry of `path`.
std::string to_json(const PathEntry& entry);

}  // namespace spoor::report::debrief
