#pragma once

#include <functional>
#include <string>

#include "report/debrief/debrief.h"

// The ways to show a debrief. Texts of the run are its own words, and nothing in them is obeyed.
namespace spoor::report::debrief {

struct TreeOptions {
  /// How a commit is named; empty: by its first eight digits.
  std::function<std::string(const store::Oid&)> short_id = {};
  std::size_t most = 40;  ///< entries of a section that are shown: its beginning and its end
};

/// The debrief as a tree of lines, each with its line end: what was done and why, each reason
/// beside what its call really gave, and what the record does not bear out (docs/debrief.md). Every
/// text of the run stands within one line; who shows it makes it harmless.
std::string tree_text(const Debrief& debrief, const TreeOptions& options = {});

/// The debrief as the tree that readers of Reactive Agents traces know, without a line end behind
/// its last line. Texts are cut and otherwise as they came: who shows them makes them harmless.
std::string classic_text(const Debrief& debrief);

/// The debrief as a Markdown document (CommonMark), with the section `## Decision Rationale`. Texts
/// of the run are escaped, so that they are text there, whatever they hold.
std::string to_markdown(const Debrief& debrief);

/// The debrief as one HTML file: no script, nothing from elsewhere, and a content security policy
/// that allows neither. Every text of the run is escaped; characters that control a terminal or
/// turn the direction of text are shown by their code.
std::string to_html(const Debrief& debrief);

/// The debrief as one JSON object, canonical (keys sorted, no white space): docs/cli-json.md,
/// "Debrief". Members are only ever added.
std::string to_json(const Debrief& debrief);

/// The name, the goal, how it ended and the counts alone: the same members.
std::string to_json_summary(const Debrief& debrief);

/// One entry of `path`.
std::string to_json(const PathEntry& entry);

}  // namespace spoor::report::debrief
