#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "base/base64.h"
#include "base/files.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/settings/keys.h"
#include "proof/tiles.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

using proof::Checkpoint;
using proof::LogTree;
using proof::Note;
using proof::VerifierKey;

constexpr unsigned kOwnerOnly = 0600;
constexpr unsigned kPublic = 0644;

constexpr std::array kOptions = {
    Option{"--key", "", "print the key that others verify with"},
    Option{"--tiles", "DIR", "also write the tree and its entries as files to be served", 0,
           Takes::path},
    Option{"--request", "SIZE", "print what a witness is sent that has seen SIZE operations", 0,
           Takes::number},
    Option{"--cosignatures", "FILE",
           "keep the signatures of witnesses in this file; - is "
           "standard input",
           0, Takes::path},
    Option{"--witness", "KEY", "with --cosignatures: the verifier key of a witness", 0, Takes::text,
           Count::many},
    Option{"--new-key", "", "begin another log, which continues no earlier checkpoint"},
    kJson,
};

// Refuses to sign what contradicts a note that was signed before: nobody could trust the key again.
Result<void> check_against(const LogTree& log, const Note& earlier) {
  const std::string problem = proof::contradiction(log, TRY(proof::parse_checkpoint(earlier.text)));
  if (problem.empty()) return {};
  return corrupt(problem,
                 "restore the store, or begin another log with 'spoor checkpoint --new-key'");
}

Result<VerifierKey> verifier_of(const LogKey& key) {
  const store::PublicKey own = TRY(store::public_key_of(key.secret));
  return VerifierKey{key.origin, VerifierKey::Signs::notes, own};
}

// Returns the note that is kept, if this key signed it: it may be another log's, or forged.
Result<std::optional<Note>> newest_note(const store::Store& store, const LogKey& key) {
  auto kept = proof::kept_checkpoint(store);
  const bool is_ours = kept && proof::signature_by(*kept, TRY(verifier_of(key)));
  return is_ours ? std::optional(std::move(*kept)) : std::nullopt;
}

// The file is written first: a store that is put back to an earlier state has an earlier note.
Result<void> keep(store::Store& store, const LogKey& key, const Note& note) {
  const std::string text = serialize(note);
  TRY(write_file(key.remembered, text, kOwnerOnly));
  return store.set_property(proof::kKeptCheckpoint, text);
}

// Signs the log as it was read, unless a note of all of that is kept: it may have cosignatures, and
// another process may just have made it.
Result<Note> sign_or_find(store::Store& store, const LogKey& key, const LogTree& log) {
  Note note;
  TRY(store.exclusive([&]() -> Result<void> {
    auto kept = TRY(newest_note(store, key));
    if (kept && TRY(proof::parse_checkpoint(kept->text)).size >= log.size()) {
      note = std::move(*kept);
      return {};
    }
    note.text = serialize(log.head(key.origin));
    note.signatures.push_back(TRY(proof::sign_note(note.text, key.origin, key.secret)));
    return keep(store, key, note);
  }));
  return note;
}

// Returns a note of the log as it is, and reads the log to `log`, which contains what it signs.
Result<Note> sign(store::Store& store, const LogKey& key, LogTree& log) {
  while (true) {
    const auto kept = TRY(newest_note(store, key));  // Before the log, which may grow.
    const auto remembered = TRY(read_file(key.remembered));
    log = TRY(proof::read_log_tree(store));
    if (log.size() == 0) return invalid("the log is empty", "add a turn with 'spoor user TEXT'");
    if (kept) TRY(check_against(log, *kept));
    if (remembered) TRY(check_against(log, TRY(proof::parse_note(*remembered))));
    Note note = TRY(sign_or_find(store, key, log));
    if (TRY(proof::parse_checkpoint(note.text)).size <= log.size()) return note;
  }
}

Result<Note> add_cosignatures(Session& session, store::Store& store, const LogKey& key,
                              const Arguments& arguments) {
  const std::string path = arguments.text("--cosignatures");
  std::string text = path == "-" ? TRY(text_to_keep(session, path)) : TRY(read_given_file(path));
  // A witness answers with lines of signatures; a whole note has them too.
  auto lines = proof::parse_signatures(text);
  if (!lines) lines = TRY(proof::parse_note(text)).signatures;
  Note note;
  TRY(store.exclusive([&]() -> Result<void> {
    auto kept = TRY(newest_note(store, key));
    if (!kept) return not_found("the log has no checkpoint yet", "run 'spoor checkpoint'");
    note = std::move(*kept);
    const Note given{note.text, *lines};
    for (const std::string& each : arguments.all("--witness")) {
      const VerifierKey witness = TRY(proof::parse_verifier_key(each));
      const auto signature = TRY(proof::signature_by(given, witness));
      std::erase_if(note.signatures, [&](const auto& old) {
        return old.name == signature.name && old.id == signature.id;
      });
      note.signatures.push_back(signature);
    }
    return keep(store, key, note);
  }));
  return note;
}

// The body of a request to a witness: https://c2sp.org/tlog-witness.
Result<std::string> request_of(const LogTree& log, const Note& note, std::uint64_t seen) {
  const std::uint64_t size = TRY(proof::parse_checkpoint(note.text)).size;
  if (seen > size) {
    return invalid(fmt::format("the checkpoint has {} operations, fewer than {}", size, seen));
  }
  std::string out = fmt::format("old {}\n", seen);
  for (const auto& hash : log.tree.consistency(seen, size)) {
    out += encode_base64(hash.view()) + '\n';
  }
  return out + '\n' + serialize(note);
}

Result<void> write_files(const LogTree& log, const Note& note, const std::string& folder) {
  const auto in_folder = [&](const std::string& path) { return folder + "/" + path; };
  TRY(proof::write_tiles(
      log, TRY(proof::parse_checkpoint(note.text)).size,
      [&](const std::string& path) { return std::filesystem::exists(in_folder(path)); },
      [&](const std::string& path, std::string_view bytes) {
        return write_file(in_folder(path), bytes, kPublic);
      }));
  return write_file(in_folder("checkpoint"), serialize(note), kPublic);
}

Result<void> run(Session& session, const Arguments& arguments) {
  if (arguments.has("--cosignatures") == arguments.all("--witness").empty()) {
    return session.usage_error("--cosignatures and --witness belong together",
                               "name the file and the key of each witness");
  }
  Workspace& workspace = *TRY(session.workspace());
  TRY(session.require_writing());
  store::Store& store = workspace.store();
  const LogKey key =
      TRY(log_key(store, arguments.has("--new-key"), session.config(), session.environment()));
  const std::string verifier = serialize(TRY(verifier_of(key)));
  Output& out = session.out();
  if (arguments.has("--key") && !arguments.has("--json")) {
    out.print(verifier).newline();
    return {};
  }
  Note note;
  LogTree log;
  if (arguments.has("--cosignatures")) {
    note = TRY(add_cosignatures(session, store, key, arguments));
    log = TRY(proof::read_log_tree(store));
    TRY(check_against(log, note));
  } else {
    note = TRY(sign(store, key, log));
  }
  if (arguments.has("--tiles")) TRY(write_files(log, note, arguments.text("--tiles")));
  std::string request;
  if (arguments.has("--request")) {
    const auto seen = static_cast<std::uint64_t>(arguments.number("--request", 0));
    request = TRY(request_of(log, note, seen));
  }
  if (!arguments.has("--json")) {
    out.verbatim(request.empty() ? serialize(note) : request);
    return {};
  }
  const Checkpoint checkpoint = TRY(proof::parse_checkpoint(note.text));
  JsonWriter json;
  json.object().member("origin", checkpoint.origin).member("size", checkpoint.size);
  json.member("root", checkpoint.root).member("key", verifier).member("note", serialize(note));
  json.member_or_null("request", request).end();
  out.verbatim(json.take());
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor checkpoint --key", "the key to give to those who verify"},
    Example{"spoor checkpoint > monday.note", "keep it elsewhere, or give it away"},
    Example{"spoor store fsck --since monday.note", "is all of that still in the log?"},
};

}  // namespace

extern const Command kCheckpoint{
    .name = "checkpoint",
    .summary = "Sign the operation log, so that others can check it",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "Prints a signed note: the name of this store's log, how many operations it has,\n"
        "and the root of a Merkle tree over their names (RFC 6962). Whoever has the note can\n"
        "see later whether something in the log was removed or rewritten, and verify with\n"
        "'spoor prove' and 'spoor verify' that a commit was in it. The log outlives gc, and\n"
        "an erasure changes no proof. docs/proofs.md says what a proof does not show.\n"
        "\n"
        "The key (Ed25519) is made at first use, in the folder of keys, with mode 0600. A\n"
        "log that contradicts an earlier checkpoint, such as that of a store restored from a\n"
        "backup, is not signed.\n"
        "\n"
        "A witness is somebody else who signs that the log only grew. --request prints what\n"
        "its address takes, and --cosignatures keeps its answer: lines that no given key has\n"
        "made are refused. Formats are those of https://c2sp.org: signed-note,\n"
        "tlog-checkpoint, tlog-cosignature, tlog-witness and, with --tiles, tlog-tiles.",
    .examples = kExamples,
};

}  // namespace spoor::cli
