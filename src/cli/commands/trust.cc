#include "cli/trust.h"

#include <array>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/session.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kOptions = {
    Option{"--list", "", "say which stores are trusted"},
    Option{"--revoke", "", "trust this store no more"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor store trust", "go on with the store of a folder that was copied here"},
    Example{"spoor --store ~/theirs/.spoor trust", "the same, for a store elsewhere"},
    Example{"spoor store trust --list", "which stores are trusted"},
};

void print_list(Session& session, const std::vector<TrustedStore>& all, bool as_json) {
  if (!as_json) {
    for (const TrustedStore& each : all) session.out().print(each.path).newline();
    return;
  }
  JsonWriter json;
  json.object().list("stores");
  for (const TrustedStore& each : all) {
    json.object().member("path", each.path).member("id", each.id);
    json.member("inode", each.inode).end();
  }
  json.end().end();
  session.out().verbatim(json.take());
}

Result<void> run(Session& session, const Arguments& arguments) {
  if (arguments.has("--list") && arguments.has("--revoke")) {
    return session.usage_error("--list and --revoke exclude each other", "give one of them");
  }
  const Trust trust(session.environment());
  if (arguments.has("--list")) {
    print_list(session, TRY(trust.list()), arguments.has("--json"));
    return {};
  }
  Workspace& opened = *TRY(session.workspace());
  const std::string path = opened.path();
  bool is_changed = false;
  if (arguments.has("--revoke")) {
    is_changed = TRY(trust.remove(opened.store(), path));
  } else {
    is_changed = TRY(session.trust_store());
  }
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("path", path).member("trusted", !arguments.has("--revoke"));
    json.member("changed", is_changed).end();
    session.out().verbatim(json.take());
    return {};
  }
  const bool is_trusted = !arguments.has("--revoke");
  session.out().print((is_changed ? "'" : "nothing changed: '") + path + "' is " +
                      (is_trusted ? "trusted" : "not trusted") + "\n");
  return {};
}

}  // namespace

extern const Command kTrust{
    .name = "store trust",
    .summary = "Trust a store",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "A store that you made on this machine is trusted. One that was copied, unpacked or "
        "checked\n"
        "out, or that belongs to another user, is not: it can be read, and nothing else. Its\n"
        "settings and rules do not hold, no model is asked with it, no run in it goes on, and\n"
        "nothing is written to it. A run names commands, and 'spoor resume' would run them.\n\n"
        "Which stores are trusted stands outside of them, in $XDG_DATA_HOME/spoor/trusted. A copy\n"
        "of a trusted store is another store.",
    .examples = kExamples,
};

}  // namespace spoor::cli
