#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spoor::cli {

/// What a line of the interactive session asks for.
struct TypedCommand {
  enum class Is {
    nothing,  ///< blank, or a remark
    command,  ///< `words`, as a shell would hand them over
    turn,     ///< a user's turn, byte for byte: all of the text
  };
  Is is = Is::nothing;
  std::vector<std::string> words;
  std::size_t end = 0;   ///< how much of the text it takes; more commands may follow
  bool is_open = false;  ///< a quote is not closed: more lines belong to it
};

/// Reads the first command of `text`.
///
/// `/log` is the command log, always. Without a slash a line is a command too, but
/// with `has_model` it is a user's turn. A leading word `spoor` is dropped, so that
/// what help and hints show can be typed as it stands. Where the table says that a
/// command's last positional is Takes::prose, that is the rest of the text as it
/// stands, line ends and apostrophes included, unless it begins with a quote or `-`:
/// then it is read as a shell would.
TypedCommand read_command(std::string_view text, bool has_model);

}  // namespace spoor::cli
