#pragma once

#include "cli/command.h"
#include "compile/prompt.h"
#include "graph/draft.h"

// Options that several commands take, defined once.
namespace spoor::cli {

inline constexpr Option kJson{"--json", "", "print one JSON document (docs/cli-json.md)"};
inline constexpr Option kStream{"--stream", "", "with --json: one JSON object per line"};
inline constexpr Option kEffort{.name = "--effort",
                                .value = "LEVEL",
                                .help = "how much the model thinks (default: the model's own)",
                                .takes = Takes::choice,
                                .choices = "none|minimal|low|medium|high|xhigh|max"};
inline constexpr Option kCapture{.name = "--capture",
                                 .value = "MODE",
                                 .help = "how much of each text to keep (docs/audit.md)",
                                 .takes = Takes::choice,
                                 .choices = "full|redacted|hashed"};
inline constexpr Option kRevision{"revision", "REV", "the commit to use (default: HEAD)", 0,
                                  Takes::revision};
inline constexpr Option kAt{"--at", "REV", "compile this commit, which must be REV or before it", 0,
                            Takes::revision};
inline constexpr Option kWindow{"--window", "N", "keep the last N user turns", 0, Takes::positive};
inline constexpr Option kBudget{"--budget", "N", "keep at most N tokens, dropping the oldest", 0,
                                Takes::number};
inline constexpr Option kClearResultsAfter{"--clear-results-after", "N",
                                           "shorten tool results that N or more messages follow", 0,
                                           Takes::number};
inline constexpr Option kIncludeReasoning{"--include-reasoning", "",
                                          "show reasoning that no annotation hides"};
inline constexpr Option kStrict{"--strict", "", "refuse a prompt with unresolved conflicts"};
inline constexpr Option kFoldVersion{.name = "--fold-version",
                                     .value = "N",
                                     .help = "compile with this version of the fold (default: 2)",
                                     .takes = Takes::choice,
                                     .choices = "1|2"};
static_assert(compile::kNewestVersion == 2, "name the new version in kFoldVersion");
inline constexpr Option kMessage{"--message", "TEXT", "a one-line summary of this commit", 'm'};
inline constexpr Option kTag{"--tag", "WORD",      "a word to find it by; may be given again",
                             0,       Takes::text, Count::many};
inline constexpr Option kMetadata{"--metadata", "JSON", "an object to store with it"};
inline constexpr Option kAuthor{"--author", "NAME", "the author (default: the setting 'author')"};

/// Returns the compile options that these flags set.
compile::CompileOptions compile_options(const Arguments& arguments);

/// Returns `--message`, `--tag` and `--metadata`.
compile::Extra extra_of(const Arguments& arguments);

/// Returns these and `--author`, for a directive made now.
graph::Signed signed_by(const Arguments& arguments);

}  // namespace spoor::cli
