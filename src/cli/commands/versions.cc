// versions, restore: list the texts that an edited turn had, and restore one.
#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/turns/turn_view.h"
#include "cli/branch_writes.h"
#include "cli/change_turn.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "graph/directives.h"
#include "graph/restore.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr Option kTarget{"revision", "REV",           "the turn, or one of its edits",
                         0,          Takes::revision, Count::one};

constexpr std::array kVersionsOptions = {kTarget, kJson};
constexpr std::array kRestoreOptions = {
    kTarget,
    Option{"number", "N", "the version; 0 is the original (default: the one before the last)", 0,
           Takes::number},
    kMessage,
    kAuthor,
    kJson,
};

Result<std::vector<graph::Version>> read_versions(const Workspace& workspace, const Oid& target) {
  const auto tip = TRY(workspace.resolve(workspace.here()));
  const auto state = TRY(workspace.repository().folder().at(tip));
  return graph::versions_of(workspace.reader(), *state, tip, target);
}

Result<void> run_versions(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const Oid target = TRY(workspace.resolve(arguments.text("revision")));
  const bool as_json = arguments.has("--json");
  JsonWriter json;
  json.object().list("versions");
  std::uint64_t number = 0;
  for (const graph::Version& version : TRY(read_versions(workspace, target))) {
    const auto commit = TRY(workspace.reader().commit(version.commit));
    const auto text = TRY(workspace.reader().content(version.content));
    if (as_json) {
      json.object().member("version", number).member("hash", version.commit);
      json.member("time", commit->time).member_or_null("author", commit->author);
      json.member("text", std::string_view(*text)).end();
    } else {
      Output& out = session.out();
      out.print(fmt::format("{} ", number));
      print_id(out, workspace, listed_id(out, workspace, version.commit));
      if (commit->time) out.print(" " + plain_time(*commit->time));
      if (!commit->author.empty()) out.print(" ").print(visible_line(commit->author));
      out.newline().print("    " + visible_line(compile::preview(*text, 200))).newline();
    }
    ++number;
  }
  if (as_json) session.out().verbatim(json.end().end().take());
  return {};
}

Result<void> run_restore(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const Oid target = TRY(workspace.resolve(arguments.text("revision")));
  std::size_t version = static_cast<std::size_t>(arguments.number("number", 0));
  if (!arguments.has("number")) {
    const std::size_t count = TRY(read_versions(workspace, target)).size();
    if (count < 2) {
      return invalid("the turn was never edited", "see 'spoor versions REV'");
    }
    version = count - 2;
  }
  const Made made =
      TRY(write_on_branch(workspace, "restore", [&](graph::Draft& draft, const std::string& ref) {
        return graph::restore(draft, workspace.reader(), workspace.repository().folder(), ref,
                              target, version, signed_by(arguments));
      }));
  print_made(session, workspace, made, arguments.has("--json"));
  const auto commit = TRY(workspace.reader().commit(made.after));
  const auto edited = TRY(compile::targets_of(workspace.reader(), *commit));
  return warn_if_replaced(session, workspace, made.after, edited.front());
}

}  // namespace

extern const Command kVersions{
    .name = "versions",
    .summary = "List the earlier texts of an edited turn",
    .options = kVersionsOptions,
    .run = run_versions,
    .group = Group::read,
    .pages = true,
};
extern const Command kRestore{
    .name = "restore",
    .summary = "Restore an earlier text of an edited turn",
    .options = kRestoreOptions,
    .run = run_restore,
    .group = Group::write,
    .details = "The restored text is a new edit; every version stays in the history.",
};

}  // namespace spoor::cli
