#include "compile/line_index.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/big_endian.h"
#include "compile/fold.h"
#include "compile/turn.h"
#include "store/ancestry.h"

namespace spoor::compile {
namespace {

using store::NamedCommit;
using store::Oid;

// The commits of a stretch, and the number of stretches that are kept again as one.
constexpr std::uint64_t kStretch = 256;
constexpr std::uint64_t kFanOut = 64;

constexpr std::size_t kOidBytes = 32;
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kHeadBytes = kNumberBytes + 1 + kOidBytes;
constexpr std::size_t kEntryBytes = kNumberBytes + kOidBytes;

// True if a commit has no effect but to append a turn that a budget may leave out.
bool is_plain(const Commit& commit) {
  if (commit.op != store::Op::append) return false;
  if (commit.type == Type::config) return false;
  return !is_prompt_type(*commit.type) || default_priority(*commit.type) != Priority::pinned;
}

// The number of commits that a kept stretch has if its last is at `depth`; 0: none ends there.
std::uint64_t kept_length(std::uint64_t depth) {
  const std::uint64_t commits = depth + 1;
  std::uint64_t length = 0;
  for (std::uint64_t next = kStretch; commits % next == 0; next *= kFanOut) length = next;
  return length;
}

// The version changes with what a stretch contains, and with what is_plain() says.
std::string name_of(const Oid& last) { return "line/2/" + last.hex(); }

// True if the index cannot answer, and a fold of everything shall report the problem.
bool is_finding(const Error& error) { return error.code != Error::Code::interrupted; }

}  // namespace

// Adds a directive's targets. Returns false if one of them is not on its line before it.
Result<bool> LineIndex::add_targets(const NamedCommit& directive,
                                    std::vector<CommitAtDepth>& found) const {
  const auto targets = targets_of(reader_, *directive.commit);
  if (!targets && !is_finding(targets.error())) return targets.error();
  if (!targets) return false;
  for (const Oid& target : *targets) {
    const auto commit = reader_.commit(target);
    if (!commit && !is_finding(commit.error())) return commit.error();
    if (!commit || (*commit)->depth >= directive.commit->depth) return false;
    const std::uint64_t depth = (*commit)->depth;
    if (TRY(store::ancestor_at(reader_, directive.oid, depth)) != target) return false;
    found.push_back({depth, target});
  }
  return true;
}

// Reads the `count` commits to `last`, which must be at `depth`.
Result<LineIndex::Stretch> LineIndex::read(const Oid& last, std::uint64_t depth,
                                           std::uint64_t count) const {
  Stretch stretch;
  std::vector<NamedCommit> directives;
  TRY(reader_.run(
      last, count,
      [&](const NamedCommit& named) {
        const Commit& commit = *named.commit;
        const bool is_in_line = commit.depth == depth - stretch.commits;
        stretch.suffices = is_in_line && commit.op != store::Op::merge;
        if (!stretch.suffices) return false;
        ++stretch.commits;
        stretch.before.reset();
        if (!commit.parents.empty()) stretch.before = commit.parents[0];
        if (!is_plain(commit)) directives.push_back(named);
        return true;
      },
      store::Reader::Keep::nothing));
  for (const NamedCommit& directive : directives) {
    if (!stretch.suffices) break;
    stretch.needed.push_back({directive.commit->depth, directive.oid});
    stretch.suffices = TRY(add_targets(directive, stretch.needed));
  }
  put_before({}, stretch);
  return stretch;
}

// Extends a stretch by the one before it.
void LineIndex::put_before(Stretch older, Stretch& stretch) {
  if (older.commits > 0) stretch.before = older.before;
  stretch.commits += older.commits;
  stretch.suffices = stretch.suffices && older.suffices;
  auto& needed = stretch.needed;
  if (!stretch.suffices) return needed.clear();
  needed.insert(needed.end(), older.needed.begin(), older.needed.end());
  std::sort(needed.begin(), needed.end(), [](const CommitAtDepth& a, const CommitAtDepth& b) {
    return std::tie(a.depth, a.oid) < std::tie(b.depth, b.oid);
  });
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
}

// Returns the kept stretch whose last commit is `last`, at a depth where one ends. Makes it first
// if it is not there.
Result<LineIndex::Stretch> LineIndex::kept_to(const Oid& last, std::uint64_t depth) const {
  const std::string name = name_of(last);
  if (const auto kept = cache_.find(name)) {
    if (auto stretch = parse(*kept, depth)) return std::move(*stretch);
  }
  Stretch stretch = TRY(read(last, depth, kStretch));
  const std::uint64_t length = kept_length(depth);
  while (stretch.suffices && stretch.commits < length) {
    put_before(TRY(kept_to(*stretch.before, depth - stretch.commits)), stretch);
  }
  if (stretch.suffices) cache_.put(name, write(stretch, depth));
  return stretch;
}

Result<std::optional<std::vector<CommitAtDepth>>> LineIndex::needed(const Oid& tip) const {
  const std::uint64_t depth = TRY(reader_.commit(tip))->depth;
  const std::uint64_t loose = (depth + 1) % kStretch;
  Stretch line;
  if (loose > 0) {
    line = TRY(read(tip, depth, loose));
  } else {
    line.before = tip;
  }
  while (line.before && line.suffices) {
    put_before(TRY(kept_to(*line.before, depth - line.commits)), line);
  }
  if (!line.suffices) return std::optional<std::vector<CommitAtDepth>>();
  return std::optional(std::move(line.needed));
}

// The number of commits follows from the depth of the last.
std::string LineIndex::write(const Stretch& stretch, std::uint64_t depth) {
  std::string kept;
  append_big_endian(kept, depth, kNumberBytes);
  kept += stretch.before ? '\1' : '\0';
  kept += stretch.before.value_or(Oid{}).view();
  for (const CommitAtDepth& each : stretch.needed) {
    append_big_endian(kept, each.depth, kNumberBytes);
    kept += each.oid.view();
  }
  return kept;
}

// Returns nullopt for a row of another form, or of a commit at another depth: then the caller came
// from one that says its own depth wrongly.
std::optional<LineIndex::Stretch> LineIndex::parse(std::string_view kept, std::uint64_t depth) {
  const bool is_whole = kept.size() >= kHeadBytes && (kept.size() - kHeadBytes) % kEntryBytes == 0;
  if (!is_whole || big_endian(kept.substr(0, kNumberBytes)) != depth) return std::nullopt;
  Stretch stretch;
  stretch.commits = kept_length(depth);
  if (kept[kNumberBytes] == '\1') {
    stretch.before = Oid::from_bytes(kept.substr(kNumberBytes + 1, kOidBytes));
  }
  for (std::size_t at = kHeadBytes; at < kept.size(); at += kEntryBytes) {
    stretch.needed.push_back({big_endian(kept.substr(at, kNumberBytes)),
                              *Oid::from_bytes(kept.substr(at + kNumberBytes, kOidBytes))});
  }
  return stretch;
}

}  // namespace spoor::compile
