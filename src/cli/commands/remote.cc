#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/typed_line.h"
#include "cli/transfer/peer.h"
#include "cli/transfer/remote_tokens.h"
#include "serve/http_link.h"
#include "sync/remote_log.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kListOptions = {kJson};
constexpr std::array kAddOptions = {
    Option{"name", "NAME", "its name here", 0, Takes::text, Count::one},
    Option{"url", "URL", "a path, ssh://HOST/PATH, https://HOST/PATH or folder:PATH", 0,
           Takes::path, Count::one},
    Option{"--key", "KEY", "what 'spoor checkpoint --key' prints there"},
};
constexpr std::array kCheckpointOptions = {
    Option{"name", "NAME", "its name here", 0, Takes::text, Count::one},
};
constexpr std::array kRemoveOptions = {
    Option{"name", "NAME", "its name here", 0, Takes::text, Count::one},
};

constexpr std::array kLoginOptions = {
    Option{"remote", "REMOTE", "a remote, or the https address of a store", 0, Takes::text,
           Count::one},
};

Result<void> list(Session& session, const Arguments& arguments) {
  const auto remotes = TRY(sync::known_remotes(TRY(session.workspace())->store()));
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().list("remotes");
    for (const sync::KnownRemote& each : remotes) {
      json.object().member("name", each.name).member("url", each.url);
      json.member("log_size", sync::remembered_size(each)).end();
    }
    session.out().verbatim(json.end().end().take());
    return {};
  }
  for (const sync::KnownRemote& each : remotes) {
    session.out().print(Style::branch, each.name).print(" " + each.url).newline();
  }
  return {};
}

Result<void> add(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  const std::string name = arguments.text("name");
  const std::string url = TRY(full_address(session.environment(), arguments.text("url")));
  TRY(sync::add_remote(workspace.store(), {name, url, arguments.text("--key")}));
  session.out().print(fmt::format("{}: {} (get its branches: spoor fetch {})\n", name, url, name));
  return {};
}

Result<void> checkpoint(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const auto remote = TRY(sync::known_remote(workspace.store(), arguments.text("name")));
  if (remote.seen.checkpoint.empty()) {
    return not_found(fmt::format("'{}' had no checkpoint when it was last seen", remote.name),
                     "its owner makes one with 'spoor checkpoint'");
  }
  // It comes from elsewhere: a terminal gets no control characters of it.
  session.out().print(remote.seen.checkpoint);
  if (remote.key.empty()) {
    session.err().print(
        "spoor: its signature was not verified: no key is known ('remote add --key')\n");
  }
  return {};
}

Result<void> remove(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  Workspace& workspace = *TRY(session.workspace());
  const std::string name = arguments.text("name");
  TRY(sync::known_remote(workspace.store(), name));
  TRY(workspace.repository().transact(
      "remote", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
        for (const char* folder : {"refs/remotes/", "refs/mirrors/"}) {
          for (const store::Ref& ref : TRY(draft.refs(folder + name + "/"))) {
            TRY(draft.move(ref.name, std::nullopt));
          }
        }
        return {};
      }));
  TRY(sync::remove_remote(workspace.store(), name));
  session.out().print(fmt::format("{}: removed\n", name));
  return {};
}

Result<void> login(Session& session, const Arguments& arguments) {
  const std::string given = arguments.text("remote");
  const bool is_address = given.find("://") != std::string::npos;
  const std::string url = TRY(serve::normal_url(
      is_address ? given : TRY(sync::known_remote(TRY(session.workspace())->store(), given)).url));
  const std::string token = TRY(read_hidden_line(session, "token: "));
  const Cancellable cancellable;
  const auto link =
      TRY(serve::http_link(web_address(session.environment(), url, token), is_interrupted));
  TRY(sync::ask(*link, {"known", ""}));
  TRY(keep_remote_token(session, url, token));
  session.out().print(fmt::format("{}: the token is accepted, and kept\n", url));
  return {};
}

constexpr std::array kAddExamples = {
    Example{"spoor remote add team /srv/team/.spoor", "a store on this machine"},
    Example{"spoor remote add team ssh://example.org/srv/team/.spoor", "one on another"},
    Example{"spoor remote add team https://example.org/team", "one that 'spoor serve' serves"},
};

}  // namespace

extern const Command kRemote{
    .name = "remote",
    .summary = "List the stores that this one knows",
    .options = kListOptions,
    .run = list,
    .group = Group::history,
    .details =
        "A remote is another store with a name. 'spoor fetch' gets what it has; its branch main\n"
        "is then origin/main here. 'spoor clone' makes the remote origin.",
};

extern const Command kRemoteAdd{
    .name = "remote add",
    .summary = "Give another store a name",
    .options = kAddOptions,
    .run = add,
    .group = Group::history,
    .examples = kAddExamples,
};

extern const Command kRemoteCheckpoint{
    .name = "remote checkpoint",
    .summary = "Print the newest checkpoint that was seen of another store",
    .options = kCheckpointOptions,
    .run = checkpoint,
    .group = Group::history,
    .details =
        "A signed note of its log (docs/proofs.md). Where two people have notes of one log\n"
        "that contradict each other, its owner showed them different ones.",
};

extern const Command kRemoteList{
    .name = "remote list",
    .summary = "List the stores that this one knows",
    .options = kListOptions,
    .run = list,
    .group = Group::history,
};

extern const Command kRemoteLogin{
    .name = "remote login",
    .summary = "Keep the token with which this user asks a store over https",
    .options = kLoginOptions,
    .run = login,
    .group = Group::history,
    .details =
        "Reads the token from standard input, tries it, and keeps it in a file that only its\n"
        "owner may read. SPOOR_TOKEN, where it is set, is sent in its place.",
    .is_callable = false,
};

extern const Command kRemoteRemove{
    .name = "remote remove",
    .summary = "Forget another store and what was seen of it",
    .options = kRemoveOptions,
    .run = remove,
    .group = Group::history,
};

}  // namespace spoor::cli
