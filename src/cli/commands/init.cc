#include <array>

#include "api/json_writer.h"
#include "base/files.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/settings/capture.h"
#include "cli/settings/keys.h"
#include "cli/settings/store_path.h"
#include "store/postgres/address.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kOptions = {
    Option{"path", "PATH", "the file, or the folder that gets a .spoor (default: here)", 0,
           Takes::path},
    Option{"--token-limit", "N", "refuse commits whose prompt exceeds N tokens", 0, Takes::number},
    Option{"--private", "", "salt every content with a key for this store"},
    Option{"--keys", "URL", "in PostgreSQL: seal contents with keys in another database"},
    kCapture,
    Option{"--rules", "FILE", "with --capture redacted: rules for this store", 0, Takes::path},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor init", "make ./.spoor"},
    Example{"spoor init --capture redacted", "a store without secrets"},
    Example{"spoor init --private ~/agents/.spoor", "a store whose hashes do not confirm guesses"},
    Example{"spoor init postgres://db/team --keys postgres://keys/team",
            "a store whose backups do not keep what is erased"},
};

// Returns the text of `--rules`; empty without it.
Result<std::string> rules_of(const Arguments& arguments) {
  if (!arguments.has("--rules")) return std::string();
  return read_given_file(arguments.text("--rules"));
}

// Returns the address of `--keys`; empty without it.
Result<std::string> keys_of(Session& session, const Arguments& arguments, const std::string& path) {
  const std::string keys = arguments.text("--keys");
  if (keys.empty()) return keys;
  if (!store::postgres::is_address(path) || !store::postgres::is_address(keys)) {
    return session.usage_error("--keys are for a store in PostgreSQL, and are in another database",
                               "give both as 'postgres://HOST/DATABASE?store=NAME'");
  }
  if (shown_store(keys) == keys) return keys;
  return denied("the address of the keys has a password, which the store would keep",
                "leave it out: ~/.pgpass is read");
}

// Sets a new store up as the command line requests. Returns the key of a private store.
Result<std::optional<PrivateKey>> furnish(Session& session, Workspace& workspace,
                                          const Arguments& arguments, compile::Capture capture,
                                          const std::string& rules) {
  std::optional<PrivateKey> key;
  if (arguments.has("--private")) {
    key = TRY(make_private(workspace.store(), session.config(), session.environment()));
  }
  if (arguments.has("--token-limit")) {
    const auto limit = static_cast<std::uint64_t>(arguments.number("--token-limit", 0));
    TRY(workspace.repository().set_token_limit(limit));
  }
  if (capture != compile::Capture::full) TRY(set_capture(workspace.store(), capture, rules));
  return key;
}

Result<void> run(Session& session, const Arguments& arguments) {
  session.config().pass_over_wrong();  // This command writes nothing that depends on them.
  const std::string rules = TRY(rules_of(arguments));
  const auto capture = TRY(api::read_capture(arguments.text("--capture", "full")));
  if (!rules.empty() && capture == compile::Capture::full) {
    return session.usage_error("--rules need a store that redacts", "add --capture redacted");
  }
  guard::Additions added;
  if (!rules.empty()) added = TRY(check_rules(rules));
  const Environment& environment = session.environment();
  const std::string given =
      arguments.text("path", named_store(environment, arguments.text("--store")));
  const std::string path = new_store_path(environment, given);
  const std::string keys = TRY(keys_of(session, arguments, path));
  Workspace& workspace = *TRY(session.create_workspace(path, keys));
  const auto furnished = furnish(session, workspace, arguments, capture, rules);
  if (!furnished) {
    TRY(session.discard_workspace());
    return furnished.error();
  }
  const std::optional<PrivateKey>& key = furnished.value();
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("path", shown_store(path)).member("private", key.has_value());
    json.member("capture", std::string(compile::name_of(capture)));
    json.member_or_null("key", key ? key->path : "");
    json.member("token_limit", TRY(workspace.repository().token_limit())).end();
    session.out().verbatim(json.take());
    return {};
  }
  session.out().print("made a new store: " + shown_store(path) + "\n");
  if (!keys.empty()) session.out().print("its contents are sealed with keys in: " + keys + "\n");
  for (const std::string& ignored : added.ignored) {
    session.err().print(Style::hint, "hint:");
    session.err().print(" ignored, because a store can only add rules: " + ignored + "\n");
  }
  if (key) {
    session.out().print("its key: " + key->path + "\n");
    session.err().print(Style::hint, "hint:");
    session.err().print(" keep a copy of the key: without it the store can only be read\n");
  }
  return {};
}

}  // namespace

extern const Command kInit{
    .name = "init",
    .summary = "Create an empty store",
    .options = kOptions,
    .run = run,
    .group = Group::start,
    .details =
        "A store is one file, .spoor, found from the working directory upwards; SQLite\n"
        "keeps its log and a lock file next to it. A folder without a store needs none:\n"
        "commands then use your own store, in $XDG_DATA_HOME/spoor. Only you can read a new\n"
        "store.\n"
        "\n"
        "With --private every content is salted with a key, so that the hash of an erased\n"
        "content cannot confirm a guess. The key is outside the store, in\n"
        "$XDG_DATA_HOME/spoor/keys (the setting keys.directory); without it the store can\n"
        "be read and checked, but not written.\n"
        "\n"
        "With --keys, all contents of a store in PostgreSQL are encrypted before they are\n"
        "written. An erasure destroys their keys, so they are unreadable in the server's log,\n"
        "standbys and backups, too. Each user needs the database of the keys; without it the\n"
        "store cannot be read or written (docs/postgres.md).\n"
        "\n"
        "With --capture redacted, secrets are removed from every text before it is written,\n"
        "and replaced by placeholders such as [REDACTED:aws-key:1]. With --capture hashed,\n"
        "only the length and a keyed hash of every text are kept (docs/audit.md).",
    .examples = kExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
