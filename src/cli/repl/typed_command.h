#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spoor::cli {

/// The meaning of a line of the interactive session.
struct TypedCommand {
  enum class Is {
    nothing,  ///< blank, or a comment
    command,  ///< `words`, split as by a shell
    turn,     ///< a user's turn, byte for byte: all of the text
  };
  Is is = Is::nothing;
  std::vector<std::string> words;
  std::size_t end = 0;   ///< the length of the command in the text; more commands may follow
  bool is_open = false;  ///< a quote is not closed: more lines belong to it
};

/// Reads the first command of `text`.
///
/// `/log` is always the command log. Without a slash a line is also a command, but with `has_model`
/// it is a user's turn. A leading word `spoor` is dropped, so that commands in help and hints can
/// be typed unchanged. If a command's last positional is Takes::prose, it is the unchanged rest of
/// the text, including line ends and apostrophes. If it begins with a quote or `-`, it is split as
/// by a shell.
TypedCommand read_command(std::string_view text, bool has_model);

}  // namespace spoor::cli
