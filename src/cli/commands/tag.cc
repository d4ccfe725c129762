#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/turn_text.h"
#include "graph/refs.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kOptions = {
    Option{"name", "NAME", "the tag to create (default: list all)"},
    Option{"revision", "REV", "the commit to tag (default: HEAD)", 0, Takes::revision},
    Option{"--message", "TEXT", "the message of an annotated tag, with author and time", 'm'},
    kAuthor,
    Option{"--delete", "", "delete the tag", 'd'},
    kJson,
};

constexpr std::string_view kTags = "refs/tags/";

// The commit of a ref under refs/tags/, and the members of its tag object, if it has one.
struct Annotated {
  Oid commit;
  std::optional<std::string> author;
  std::optional<Timestamp> time;
  std::optional<std::string> note;
};

Result<Annotated> read_tag(const Workspace& workspace, const Oid& target) {
  Annotated tag{.commit = TRY(workspace.reader().peel(target))};
  if (tag.commit == target) return tag;
  const auto object = TRY(workspace.reader().tag(target));
  tag.author = object->author;
  tag.time = object->time;
  if (!object->note) return tag;
  const auto note = workspace.reader().content(*object->note);
  if (!note && note.error().code != Error::Code::not_found) return note.error();
  tag.note = note ? **note : "(its note is not stored)";
  return tag;
}

Result<void> list(Session& session, const Workspace& workspace, bool as_json) {
  const auto refs = TRY(workspace.repository().store().refs(kTags));
  JsonWriter json;
  json.object().list("tags");
  for (const store::Ref& ref : refs) {
    const std::string name = ref.name.substr(kTags.size());
    const Annotated tag = TRY(read_tag(workspace, ref.target));
    if (as_json) {
      json.object().member("name", name).member("hash", tag.commit);
      json.member("author", tag.author).member("time", tag.time).member("note", tag.note).end();
      continue;
    }
    Output& out = session.out();
    out.print(Style::tag, name).print(" ");
    print_id(out, workspace, listed_id(out, workspace, tag.commit));
    if (tag.note) out.print(" " + visible_line(compile::preview(*tag.note)));
    out.newline();
  }
  if (as_json) session.out().verbatim(json.end().end().take());
  return {};
}

Result<void> remove(Session& session, Workspace& workspace, const std::string& name) {
  const auto target = TRY(workspace.store().ref(store::tag_ref(name)));
  if (!target) return not_found(fmt::format("no tag '{}'", name), "list them with 'spoor tag'");
  TRY(workspace.repository().transact("tag", graph::OnConflict::fail, [&](graph::Draft& draft) {
    return draft.move(store::tag_ref(name), std::nullopt);
  }));
  const std::string id = workspace.short_id(TRY(workspace.reader().peel(*target)));
  session.out().print(
      fmt::format("tag {}: deleted, was {} (undo: {})\n", name, id, session.typed("undo")));
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const std::string name = arguments.text("name");
  if (!arguments.has("name")) {
    if (arguments.has("--delete")) return session.usage_error("'spoor tag --delete' needs a name");
    return list(session, workspace, arguments.has("--json"));
  }
  if (arguments.has("--delete")) return remove(session, workspace, name);
  if (arguments.has(kAuthor.name) && !arguments.has("--message")) {
    return session.usage_error("--author needs --message: only an annotated tag has an author");
  }
  const Oid at = TRY(workspace.resolve(arguments.text("revision", "HEAD")));
  TRY(workspace.repository().transact(
      "tag", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
        if (!arguments.has("--message")) return graph::create_tag(draft, name, at);
        return graph::create_tag(draft, name, at, arguments.text("--message"),
                                 signed_by(arguments));
      }));
  session.out().print(fmt::format("tag {}: made at {} (undo: {})\n", name, workspace.short_id(at),
                                  session.typed("tag --delete " + name)));
  return {};
}

}  // namespace

extern const Command kTagCommand{
    .name = "tag",
    .summary = "List, make or delete tags",
    .options = kOptions,
    .run = run,
    .group = Group::history,
};

}  // namespace spoor::cli
