#include "store/trusted_stores.h"

#include <array>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/session.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kOptions = {
    Option{"--list", "", "list the trusted stores"},
    Option{"--revoke", "", "stop trusting this store"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor store trust", "trust the store of a folder that was copied here"},
    Example{"spoor --store ~/theirs/.spoor store trust", "the same, for a store elsewhere"},
    Example{"spoor store trust --list", "list the trusted stores"},
};

void print_list(Session& session, const std::vector<store::TrustedStore>& all, bool as_json) {
  if (!as_json) {
    for (const store::TrustedStore& each : all) session.out().print(each.path).newline();
    return;
  }
  JsonWriter json;
  json.object().list("stores");
  for (const store::TrustedStore& each : all) {
    json.object().member("path", each.path).member("id", each.id);
    json.member("inode", each.inode).end();
  }
  json.end().end();
  session.out().verbatim(json.take());
}

Result<void> run(Session& session, const Arguments& arguments) {
  if (arguments.has("--list") && arguments.has("--revoke")) {
    return session.usage_error("--list and --revoke cannot be combined", "use one of them");
  }
  store::TrustedStores trust(data_home(session.environment()));
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
        "A store that you created on this machine is trusted. One that was copied, unpacked\n"
        "or checked out, or that belongs to another user, is not, and can only be read: its\n"
        "settings and rules do not apply, no model is asked with it, its runs cannot be\n"
        "resumed, and nothing is written to it. A run contains commands, and 'spoor resume'\n"
        "would run them.\n"
        "\n"
        "The list of trusted stores is outside of them, in $XDG_DATA_HOME/spoor/trusted. A\n"
        "copy of a trusted store is another store.",
    .examples = kExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
