#include "proof/proof.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_set>

#include <fmt/format.h>

#include "base/base64.h"
#include "proof/take_line.h"
#include "store/ancestry.h"
#include "store/lines.h"
#include "store/operation_walk.h"
#include "store/tag.h"

namespace spoor::proof {
namespace {

using store::Kind;
using store::Object;
using store::Oid;

constexpr std::string_view kFirstLine = "c2sp.org/tlog-proof@v1";
constexpr std::string_view kEvidence = "spoor proof 1\n";
constexpr std::string_view kOperation = "operation";
constexpr std::size_t kMostHashes = 64;

Error malformed(std::string_view what) {
  return invalid(fmt::format("not a proof: {}", what), "make one with 'spoor prove'");
}

// Texts are cut off at the front as they are read; nullopt if they are malformed.
std::optional<std::string_view> take_value(std::string_view& text, std::string_view key) {
  if (!text.starts_with(std::string(key) + " ")) return std::nullopt;
  auto line = take_line(text);
  if (line) line->remove_prefix(key.size() + 1);
  return line;
}

// A line `KEY LENGTH`, the bytes, and a line feed.
void append_framed(std::string& out, std::string_view key, std::string_view body) {
  store::append_line(out, key, std::uint64_t{body.size()});
  out.append(body).append(1, '\n');
}

std::optional<std::pair<std::string_view, std::string_view>> take_framed(std::string_view& text) {
  const auto line = take_line(text);
  if (!line) return std::nullopt;
  const std::size_t blank = line->find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto length = store::parse_integer(line->substr(blank + 1));
  if (!length || *length >= text.size() || text[*length] != '\n') return std::nullopt;
  const std::string_view body = text.substr(0, *length);
  text.remove_prefix(*length + 1);
  return std::pair{line->substr(0, blank), body};
}

std::string serialize(const Evidence& evidence) {
  std::string out(kEvidence);
  if (evidence.body.empty()) {
    store::append_line(out, "folded", evidence.operation);
  } else {
    append_framed(out, kOperation, evidence.body);
  }
  for (const Object& each : evidence.path) append_framed(out, name_of(each.kind), each.body);
  return out;
}

Result<Evidence> parse_evidence(std::string_view text) {
  if (!text.starts_with(kEvidence)) return malformed("its extra data is of another kind");
  text.remove_prefix(kEvidence.size());
  Evidence evidence;
  if (const auto folded = take_value(text, "folded")) {
    const auto name = Oid::from_hex(*folded);
    if (!name || !text.empty()) return malformed("the name of its operation");
    evidence.operation = *name;
    return evidence;
  }
  const auto operation = take_framed(text);
  if (!operation || operation->first != kOperation || operation->second.empty()) {
    return malformed("no operation");
  }
  evidence.body = operation->second;
  evidence.operation = store::operation_name(evidence.body);
  while (!text.empty()) {
    const auto framed = take_framed(text);
    const auto kind = framed ? store::kind_from(framed->first) : std::nullopt;
    if (!kind) return malformed("an object on its path");
    evidence.path.push_back({*kind, std::string(framed->second)});
  }
  return evidence;
}

Result<Proof> make_proof(const LogTree& log, const Note& note, Evidence evidence) {
  const Checkpoint checkpoint = TRY(parse_checkpoint(note.text));
  if (const std::string problem = contradiction(log, checkpoint); !problem.empty()) {
    return corrupt(problem, "run 'spoor store fsck'");
  }
  const auto index = log.index_of(evidence.operation);
  if (!index || *index >= checkpoint.size) {
    return not_found(
        fmt::format("operation {} is not in the newest checkpoint", evidence.operation.hex(12)),
        "run 'spoor checkpoint'");
  }
  return Proof{std::move(evidence), *index, log.tree.inclusion(*index, checkpoint.size), note};
}

// Returns a commit from which first parents lead to `commit`, and that an operation may name.
Result<std::optional<Oid>> tip_over(const store::Reader& reader, const Oid& commit) {
  std::unordered_set<Oid> seen;
  const auto leads = [&](const Oid& target) -> Result<bool> {
    const auto peeled = reader.peel(target);
    if (!peeled || !seen.insert(*peeled).second || !reader.commit(*peeled)) return false;
    return store::is_on_line(reader, commit, *peeled);
  };
  for (const store::Ref& ref : TRY(reader.store().refs(""))) {
    if (TRY(leads(ref.target))) return std::optional(TRY(reader.peel(ref.target)));
  }
  std::optional<Oid> found;  // By a ref that has moved away since.
  TRY(store::walk_operations(reader.store(), [&](const auto& logged) -> Result<bool> {
    for (const store::RefMove& move : TRY(store::parse_operation(logged.body)).refs) {
      if (move.after && TRY(leads(*move.after))) found = TRY(reader.peel(*move.after));
    }
    return !found;
  }));
  return found;
}

// Returns the bytes of the objects from what a ref names to the commit.
Result<std::vector<Object>> path_from(const store::Reader& reader, const Oid& target,
                                      const Oid& commit) {
  std::vector<Oid> names;
  const Oid peeled = TRY(reader.peel(target));
  if (peeled != target) names.push_back(target);
  TRY(store::walk_to(reader, peeled, TRY(reader.commit(commit))->depth,
                     [&](const Oid& each) { names.push_back(each); }));
  std::vector<Object> path;
  for (auto& object : TRY(reader.store().get(names))) {
    if (!object) return corrupt("an object on the path is missing", "run 'spoor store fsck'");
    path.push_back(std::move(*object));
  }
  return path;
}

// Returns whether the object names the next one on a path. A skip leads to the depth that it
// should.
bool names(const Object& object, const Oid& next, const std::optional<store::Commit>& commit) {
  if (object.kind == Kind::tag) {
    const auto tag = store::parse_tag(object.body);
    return tag && tag->target == next;
  }
  if (object.kind != Kind::commit || !commit) return false;
  const auto from = store::parse_commit(object.body);
  if (!from || from->parents.empty()) return false;
  return (from->parents.front() == next && from->depth == commit->depth + 1) ||
         (from->skip == next && store::skip_height(from->depth) == commit->depth);
}

Result<void> verify_path(const Evidence& evidence, Proven& proven) {
  const auto& path = evidence.path;
  if (path.empty()) return {};
  const Oid first = store::object_name(path.front().kind, path.front().body);
  const auto move = std::find_if(proven.operation->refs.begin(), proven.operation->refs.end(),
                                 [&](const auto& each) { return each.after == first; });
  if (move == proven.operation->refs.end()) return corrupt("its operation does not name its path");
  proven.ref = move->name;
  const Object* before = nullptr;
  for (const Object& each : path) {
    const Oid name = store::object_name(each.kind, each.body);
    std::optional<store::Commit> commit;
    if (each.kind == Kind::commit) commit = TRY(store::parse_commit(each.body));
    if (before != nullptr && !names(*before, name, commit)) return corrupt("its path is broken");
    before = &each;
    if (commit) proven.commit = {name, std::make_shared<const store::Commit>(std::move(*commit))};
  }
  if (before->kind != Kind::commit) return corrupt("its path does not end at a commit");
  return {};
}

}  // namespace

std::string serialize(const Proof& proof) {
  std::string out = fmt::format("{}\nextra {}\nindex {}\n", kFirstLine,
                                encode_base64(serialize(proof.evidence)), proof.index);
  for (const Hash& each : proof.inclusion) out += encode_base64(each.view()) + '\n';
  return out + '\n' + serialize(proof.checkpoint);
}

Result<Proof> parse_proof(std::string_view bytes) {
  if (take_line(bytes) != kFirstLine) return malformed("the first line");
  const auto coded = take_value(bytes, "extra");
  const auto extra = coded ? decode_base64(*coded) : std::nullopt;
  if (!extra) return malformed("no extra data");
  Proof proof;
  proof.evidence = TRY(parse_evidence(*extra));
  const auto index = take_value(bytes, "index");
  const auto number = index ? store::parse_integer(*index) : std::nullopt;
  if (!number) return malformed("no index");
  proof.index = *number;
  while (true) {
    const auto line = take_line(bytes);
    if (line && line->empty()) break;
    const auto decoded = line ? decode_base64(*line) : std::nullopt;
    const auto hash = decoded ? Oid::from_bytes(*decoded) : std::nullopt;
    if (!hash || proof.inclusion.size() == kMostHashes) return malformed("a hash");
    proof.inclusion.push_back(*hash);
  }
  proof.checkpoint = TRY(parse_note(bytes));
  return proof;
}

Result<Proof> prove_commit(const store::Reader& reader, const LogTree& log, const Note& checkpoint,
                           const Oid& commit) {
  const auto tip = TRY(tip_over(reader, commit));
  std::unordered_set<Oid> over;  // The commits that lead to this one, on one line.
  if (tip) {
    const std::uint64_t steps = TRY(reader.commit(*tip))->depth - TRY(reader.commit(commit))->depth;
    TRY(reader.run(
        *tip, steps + 1, [&](const auto& each) { return over.insert(each.oid).second; },
        store::Reader::keep_for(steps)));
  }
  constexpr std::size_t kAtOnce = 1'000;
  for (std::uint64_t last = 0; tip;) {
    const auto some = TRY(store::verified_operations(reader.store(), last, kAtOnce));
    for (const store::LoggedOperation& logged : some) {
      last = logged.number;
      const auto operation = TRY(store::parse_operation(logged.body));
      if (operation.folded) continue;  // Its name is not in the tree.
      for (const store::RefMove& move : operation.refs) {
        if (!move.after) continue;
        const bool may_be_tag = move.name.starts_with(store::tag_ref(""));
        const auto target = may_be_tag ? reader.peel(*move.after) : Result(*move.after);
        if (!target || !over.contains(*target)) continue;
        auto path = TRY(path_from(reader, *move.after, commit));
        return make_proof(log, checkpoint, {logged.name, logged.body, std::move(path)});
      }
    }
    if (some.size() < kAtOnce) break;
  }
  return not_found(
      fmt::format("no operation of the log leads to {} by first parents", commit.hex(12)),
      "gc may have folded it; 'spoor tag NAME COMMIT' makes a new one, then run 'spoor "
      "checkpoint'");
}

Result<Proof> prove_operation(const store::Store& store, const LogTree& log, const Note& checkpoint,
                              const Oid& operation) {
  const auto index = log.index_of(operation);
  Evidence evidence{operation, {}, {}};
  if (index) {
    const auto some = TRY(store.operations(log.first + *index - 1, 1));
    if (!some.empty() && some.front().name == operation) evidence.body = some.front().body;
  }
  return make_proof(log, checkpoint, std::move(evidence));
}

Result<Proven> verify(const Proof& proof, const VerifierKey& log,
                      const std::vector<VerifierKey>& witnesses) {
  Proven proven;
  TRY(signature_by(proof.checkpoint, log));
  for (const VerifierKey& each : witnesses) {
    proven.cosigned.push_back(cosigned_at(TRY(signature_by(proof.checkpoint, each))));
  }
  proven.checkpoint = TRY(parse_checkpoint(proof.checkpoint.text));
  if (proven.checkpoint.origin != log.name) return corrupt("its checkpoint is another log's");
  const auto root = root_by(leaf_hash(proof.evidence.operation.view()), proof.index,
                            proven.checkpoint.size, proof.inclusion);
  if (root != proven.checkpoint.root) return corrupt("its operation is not in the checkpoint");
  if (proof.evidence.body.empty()) return proven;
  proven.operation = TRY(store::parse_operation(proof.evidence.body));
  TRY(verify_path(proof.evidence, proven));
  return proven;
}

}  // namespace spoor::proof
