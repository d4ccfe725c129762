#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"

namespace spoor::cli {

/// Stands for every file: a shell offers its own.
inline constexpr std::string_view kPathMark = "//path";

/// What may stand where a user is typing.
struct Candidate {
  std::string text;
  std::string help;  ///< one line; may be empty
};

/// Candidates for the last of `words`, which is what has been typed of it (maybe
/// nothing). Words are all those after the program's name. A store is opened
/// only where the table says that a revision or a branch belongs; a store that
/// cannot be opened has no candidates, and that is no error here. Ids come with what
/// their turns say: those that begin with the digits typed, or the newest turns.
std::vector<Candidate> candidates(Session& session, std::span<const std::string> words);

/// `spoor __complete WORD...`: one candidate a line, a tab before its help.
void complete(Session& session, std::span<const std::string> words);

/// The script that a shell reads: "bash", "zsh" or "fish"; empty for others.
std::string_view completion_script(std::string_view shell);

}  // namespace spoor::cli
