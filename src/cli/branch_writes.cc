#include "cli/branch_writes.h"

#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "base/files.h"

namespace spoor::cli {

using api::JsonWriter;

Result<std::string> text_argument(Session& session, const std::string& argument) {
  if (argument != "-") return argument;
  const std::uint64_t most = TRY(session.read_limits()).text;
  std::string text;
  std::array<char, 65'536> buffer;
  while (true) {
    const std::size_t count = TRY(session.read_input(buffer));
    if (count == 0) return text;
    if (text.size() + count > most) return too_long("standard input", most);
    text.append(buffer.data(), count);
  }
}

Result<std::string> text_to_keep(Session& session, const std::string& argument) {
  if (argument == "-") TRY(session.require_writing());
  return text_argument(session, argument);
}

void print_made(Session& session, const Workspace& workspace, const Made& made, bool as_json,
                std::string_view says) {
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
    out.print(Style::commit, workspace.short_id(*made.before)).print(" -> ");
  }
  out.print(Style::commit, after).print(says);
  out.print(made.before ? " (" : " (its first commit; ");
  out.print(fmt::format("undo: {})\n", session.typed("undo")));
}

Result<void> check_view(const Workspace& workspace, const std::string& branch) {
  if (workspace.view().is_present()) return {};
  const std::string id = workspace.short_id(*workspace.view().now().commit);
  return invalid(
      fmt::format("the view is at {}, but the turn would be added to {}", id, branch),
      fmt::format("run 'back' first, or create a branch here: switch --create NAME {}", id));
}

Result<Made> write_on_branch(
    Workspace& workspace, std::string_view command,
    const std::function<Result<Oid>(graph::Draft&, const std::string& ref)>& body) {
  Made made;
  made.branch = TRY(workspace.branch_for_writing());
  TRY(check_view(workspace, made.branch));
  const std::string ref = store::branch_ref(made.branch);
  TRY(workspace.repository().transact(command, graph::OnConflict::fail,
                                      [&](graph::Draft& draft) -> Result<void> {
                                        made.before = TRY(draft.tip(ref));
                                        made.after = TRY(body(draft, ref));
                                        return {};
                                      }));
  return made;
}

}  // namespace spoor::cli
