#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/shell.h"

namespace spoor::guard::check {

/// A program that a call runs, seen through what only starts it: `sudo`, `env`, `timeout`, `xargs`,
/// `sh -c`, `find -exec` and their like.
struct Command {
  std::string program;      ///< its name, without the folder that it lies in
  std::string path;         ///< as it was written; empty: only redirections, or assignments
  std::vector<Word> words;  ///< behind it
  std::vector<Redirect> redirects;
  std::string input;                ///< what it surely reads: here-documents, here-strings
  std::string folder;               ///< where it runs, from the start; empty: there; `?`: not known
  std::vector<std::string> fed_by;  ///< programs whose output it reads, or has among its words
  std::vector<Word> assigned;       ///< `A=b`, of its environment alone
  bool is_program_known = true;     ///< false: a variable or a pattern is the program
  bool is_input_known = true;       ///< false: more is piped into it, or `input` is expanded first

  /// Is there a flag: `letter` in a word such as `-rf`, or `--name` (or `--name=…`)? Of a letter 0
  /// or an empty name only the other is looked for.
  bool has_flag(char letter, std::string_view name) const;

  /// The words that are no flags; after `--` all of them.
  std::vector<Word> operands() const;

  /// As one would type it, at most 200 bytes.
  std::string text() const;
};

struct Commands {
  std::vector<Command> all;
  bool is_whole = true;              ///< false: a part could not be read, see Script
  std::vector<std::string> unclear;  ///< what nobody can tell: which program runs, which script
};

/// What a script runs; `folder`: where it starts.
Commands commands_of_script(std::string_view script, std::string_view folder);

/// What an argument vector runs.
Commands commands_of_argv(const std::vector<std::string>& argv, std::string_view folder);

/// `A=b`, at the beginning of a word.
bool is_assignment(std::string_view word);

/// The folder that `to` leads to from `folder`; `?`: nobody can tell.
std::string folder_behind(std::string_view folder, const Word& to);

/// The folders that `find` with these words searches: those before its first test. None: `.`.
std::vector<Word> starts_of_find(const std::vector<Word>& words);

/// The last name of a path.
std::string base_name(std::string_view path);

}  // namespace spoor::guard::check
