#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/shell.h"

namespace spoor::guard::check {

/// A program that a call runs, without the programs that only start it: `sudo`, `env`, `timeout`,
/// `xargs`, `sh -c`, `find -exec` and similar.
struct Command {
  std::string program;      ///< its name, without its folder
  std::string path;         ///< as it was written; empty: only redirections, or assignments
  std::vector<Word> words;  ///< after the program
  std::vector<Redirect> redirects;
  std::string input;   ///< input that it certainly reads: here-documents, here-strings
  std::string folder;  ///< where it runs, relative to the start; empty: the start; `?`: not known
  std::vector<std::string> fed_by;  ///< programs whose output it reads, or has among its words
  std::vector<Word> assigned;       ///< `A=b`, only in its environment
  bool is_program_known = true;     ///< false: a variable or a pattern is the program
  bool is_input_known = true;       ///< false: more is piped into it, or `input` is expanded first

  /// Returns true if a flag is given: `letter` in a word such as `-rf`, or `--name` (or
  /// `--name=…`). If `letter` is 0 or `name` is empty, only the other is looked for.
  bool has_flag(char letter, std::string_view name) const;

  /// Returns the words that are not flags; after `--` all words.
  std::vector<Word> operands() const;

  /// Returns the command as typed, at most 200 bytes.
  std::string text() const;
};

struct Commands {
  std::vector<Command> all;
  bool is_whole = true;              ///< false: a part could not be read, see Script
  std::vector<std::string> unclear;  ///< what cannot be known: which program runs, which script
};

/// Returns the commands of a script that starts in `folder`.
Commands commands_of_script(std::string_view script, std::string_view folder);

/// Returns the commands of an argument vector.
Commands commands_of_argv(const std::vector<std::string>& argv, std::string_view folder);

/// Returns true if a word begins with `A=b`.
bool is_assignment(std::string_view word);

/// Returns the folder that `to` leads to from `folder`; `?` if it cannot be known.
std::string folder_behind(std::string_view folder, const Word& to);

/// Returns the folders that `find` with these words searches: those before its first test, else
/// `.`.
std::vector<Word> starts_of_find(const std::vector<Word>& words);

std::string base_name(std::string_view path);

}  // namespace spoor::guard::check
