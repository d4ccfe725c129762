// prove and verify.
#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "base/files.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/times.h"
#include "proof/proof.h"
#include "store/operation_walk.h"

namespace spoor::cli {

using api::JsonWriter;
using store::Oid;

namespace {

using proof::Proof;
using proof::Proven;
using proof::VerifierKey;

constexpr unsigned kPublic = 0644;

constexpr std::array kProveOptions = {
    Option{"commit", "COMMIT", "the commit to prove (default: HEAD)", 0, Takes::revision},
    Option{"--operation", "OP", "prove an operation instead"},
    Option{"--output", "FILE", "write the proof to this file", 'o', Takes::path},
    kJson,
};

constexpr std::size_t kShortestHash = 16;

constexpr std::array kVerifyOptions = {
    Option{"file", "FILE", "the proof; - is standard input", 0, Takes::path, Count::one},
    Option{"--key", "KEY", "the log's verifier key ('spoor checkpoint --key')"},
    Option{"--witness", "KEY", "the verifier key of a witness that must have signed", 0,
           Takes::text, Count::many},
    kJson,
    Option{"--commit", "HASH", "the proof must be of this commit", 0, Takes::text},
};

// gc may have folded the operation: then only its whole name finds it.
Result<Oid> operation_named(const store::Store& store, const std::string& text) {
  if (const auto whole = Oid::from_hex(text)) return *whole;
  return TRY(store::find_operation(store, text)).name;
}

Result<void> run_prove(Session& session, const Arguments& arguments) {
  if (arguments.has("--operation") && arguments.has("commit")) {
    return session.usage_error("name a commit or an operation, not both");
  }
  Workspace& workspace = *TRY(session.workspace());
  const store::Store& store = workspace.store();
  const proof::Note checkpoint = TRY(proof::kept_checkpoint(store));
  const proof::LogTree log = TRY(proof::read_log_tree(store));
  Proof made;
  if (arguments.has("--operation")) {
    const Oid operation = TRY(operation_named(store, arguments.text("--operation")));
    made = TRY(proof::prove_operation(store, log, checkpoint, operation));
  } else {
    const Oid commit = TRY(workspace.resolve(arguments.text("commit", workspace.here())));
    made = TRY(proof::prove_commit(workspace.reader(), log, checkpoint, commit));
  }
  const std::string text = serialize(made);
  const std::string path = arguments.text("--output");
  if (!path.empty() && path != "-") TRY(write_file(path, text, kPublic));
  Output& out = session.out();
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member_or_null("path", path).member("operation", made.evidence.operation);
    json.member("index", made.index);
    json.member("size", TRY(proof::parse_checkpoint(checkpoint.text)).size);
    json.member("proof", text).end();
    out.verbatim(json.take());
  } else if (path.empty() || path == "-") {
    out.verbatim(text);
  } else {
    out.print(fmt::format("{}: operation {} of {}, {}\n", path, made.index + 1,
                          TRY(proof::parse_checkpoint(checkpoint.text)).size,
                          byte_size(text.size())));
  }
  return {};
}

void print_proven(Output& out, const Proof& proof, const Proven& proven,
                  const std::vector<VerifierKey>& witnesses) {
  if (proven.commit) {
    const store::Commit& commit = *proven.commit->commit;
    out.print("commit     ").print(Style::commit, proven.commit->oid.hex());
    out.print(fmt::format(" ({}, depth {})\n",
                          commit.type ? name_of(*commit.type) : name_of(commit.op), commit.depth));
    out.print("ref        " + visible_line(proven.ref) + "\n");
  }
  out.print("operation  ").print(Style::commit, proof.evidence.operation.hex()).newline();
  if (proven.operation) {
    out.print(fmt::format("           {} by {}, {}\n", visible_line(proven.operation->command),
                          visible_line(proven.operation->actor), proven.operation->time.text()));
  } else {
    out.print("           its text was not kept\n");
  }
  out.print(fmt::format("log        {}, {} of {}\n", visible_line(proven.checkpoint.origin),
                        proof.index + 1, proven.checkpoint.size));
  for (std::size_t i = 0; i < witnesses.size(); ++i) {
    out.print(fmt::format("witness    {}", visible_line(witnesses[i].name)));
    if (witnesses[i].signs == VerifierKey::Signs::cosignatures) {
      out.print(", " + plain_time(proven.cosigned[i]));
    }
    out.newline();
  }
  out.print(Style::added, "proven").newline();
}

void print_proven_json(Output& out, const Proof& proof, const Proven& proven,
                       const std::vector<VerifierKey>& witnesses) {
  JsonWriter json;
  json.object().member("proven", true);
  json.member("commit", proven.commit ? std::optional(proven.commit->oid) : std::nullopt);
  json.member_or_null("ref", proven.ref).member("operation", proof.evidence.operation);
  const auto& operation = proven.operation;
  json.member("time", operation ? std::optional(operation->time) : std::nullopt);
  json.member_or_null("actor", operation ? operation->actor : "");
  json.member_or_null("command", operation ? operation->command : "");
  json.member("origin", proven.checkpoint.origin).member("index", proof.index);
  json.member("size", proven.checkpoint.size).list("witnesses");
  for (std::size_t i = 0; i < witnesses.size(); ++i) {
    const bool has_time = witnesses[i].signs == VerifierKey::Signs::cosignatures;
    json.object().member("name", witnesses[i].name);
    json.member("time", has_time ? std::optional(proven.cosigned[i]) : std::nullopt).end();
  }
  json.end().end();
  out.verbatim(json.take());
}

Result<void> run_verify(Session& session, const Arguments& arguments) {
  if (!arguments.has("--key")) {
    return session.usage_error(
        "a proof is verified with the key of its log",
        "add --key KEY, which its owner prints with 'spoor checkpoint --key'");
  }
  const std::string path = arguments.text("file");
  const std::string text =
      path == "-" ? TRY(text_argument(session, path)) : TRY(read_given_file(path));
  const VerifierKey key = TRY(proof::parse_verifier_key(arguments.text("--key")));
  std::vector<VerifierKey> witnesses;
  for (const std::string& each : arguments.all("--witness")) {
    witnesses.push_back(TRY(proof::parse_verifier_key(each)));
  }
  const Proof read = TRY(proof::parse_proof(text));
  const auto proven = proof::verify(read, key, witnesses);
  if (!proven) {
    Error error = proven.error();
    error.message = "not proven: " + error.message;
    return error;
  }
  if (arguments.has("--commit")) {
    const std::string wanted = arguments.text("--commit");
    const std::string is = proven->commit ? proven->commit->oid.hex() : "no commit";
    if (wanted.size() < kShortestHash || !is.starts_with(wanted)) {
      return Error{Error::Code::not_found, fmt::format("not proven: it is a proof of {}", is),
                   "give at least 16 digits of the commit's hash"};
    }
  }
  if (arguments.has("--json")) {
    print_proven_json(session.out(), read, *proven, witnesses);
  } else {
    print_proven(session.out(), read, *proven, witnesses);
  }
  return {};
}

constexpr std::array kProveExamples = {
    Example{"spoor prove HEAD -o turn.tlog-proof", "prove the newest turn of this branch"},
};

constexpr std::array kVerifyExamples = {
    Example{"spoor verify turn.tlog-proof --key \"$KEY\"", "needs no store"},
};

}  // namespace

extern const Command kProve{
    .name = "prove",
    .summary = "Prove to others that a commit was in the signed log",
    .options = kProveOptions,
    .run = run_prove,
    .group = Group::care,
    .details =
        "Writes a file that can be verified without the store: the newest checkpoint, the\n"
        "proof that an operation is in it, the operation, and the commits that lead from what\n"
        "it moved a ref to, by parent and skip, to the commit. It contains commits, with\n"
        "their authors, times and meta, but no texts. Run 'spoor checkpoint' first.\n"
        "\n"
        "An operation that gc folded has no text any more: a commit is then proven by a later\n"
        "one, and the operation itself (--operation, its whole name) by its name alone.",
    .examples = kProveExamples,
};

extern const Command kVerify{
    .name = "verify",
    .summary = "Verify a proof, without its store",
    .options = kVerifyOptions,
    .run = run_verify,
    .group = Group::care,
    .details =
        "Exits with status 0 if the log's key has signed the checkpoint in the file, and each\n"
        "--witness as well, and it covers the operation and the commit that are printed. Get\n"
        "the key from the log's owner, not with the proof. Reads nothing else. A script names\n"
        "the commit that it asks about with --commit: else the proof may be of any other, or\n"
        "of an operation alone.",
    .examples = kVerifyExamples,
};

}  // namespace spoor::cli
