#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"

namespace spoor::cli {

/// The candidate for any file: the shell offers its own.
inline constexpr std::string_view kPathMark = "//path";

/// A completion of the current word.
struct Candidate {
  std::string text;
  std::string help;  ///< one line; may be empty
};

/// Returns the candidates for the last of `words`, which may be empty. `words` are all those after
/// the program's name. Opens a store only if the table expects a revision or a branch; returns no
/// candidates, and no error, if the store cannot be opened. Ids come with a preview of their turns:
/// the ids that begin with the digits typed, or those of the newest turns.
std::vector<Candidate> candidates(Session& session, std::span<const std::string> words);

/// Implements `spoor __complete WORD...`: prints one candidate a line, a tab before its help.
void complete(Session& session, std::span<const std::string> words);

/// Returns the completion script of a shell, "bash", "zsh" or "fish"; empty for others.
std::string_view completion_script(std::string_view shell);

}  // namespace spoor::cli
