#include "cli/moves.h"

#include <array>

#include <fmt/format.h>

#include "cli/json_writer.h"

namespace spoor::cli {

Result<std::string> text_argument(Session& session, const std::string& argument) {
  if (argument != "-") return argument;
  std::string text;
  std::array<char, 65'536> buffer;
  while (true) {
    const std::size_t count = TRY(session.read_input(buffer));
    if (count == 0) return text;
    text.append(buffer.data(), count);
  }
}

void print_made(Session& session, const Workspace& workspace, const Made& made, bool as_json) {
  Output& out = session.out();
  if (as_json) {
    JsonWriter json;
    json.object().member("branch", made.branch).member("before", made.before);
    json.member("hash", made.after).end();
    out.verbatim(json.take());
    return;
  }
  const std::string after = workspace.short_id(made.after);
  out.print(Style::branch, made.branch).print(": ");
  if (made.before) {
    const std::string before = workspace.short_id(*made.before);
    out.print(Style::commit, before).print(" -> ").print(Style::commit, after);
    out.print(fmt::format(" (undo: spoor branch --force {} {})\n", made.branch, before));
  } else {
    out.print(Style::commit, after).print(" (its first commit)\n");
  }
}

}  // namespace spoor::cli
