#include "compile/part_fold.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compile/apply.h"
#include "compile/turn.h"
#include "store/ancestry.h"

namespace spoor::compile {
namespace {

using store::NamedCommit;
using store::Oid;

// The most commits that are read in addition to find the first of a message.
constexpr std::size_t kMostToMessage = 4096;

bool is_answer(Type type) { return role_of(type) == "assistant"; }

// True if an answer's record continues no message of an earlier entry (message_numbers.h), and no
// earlier reasoning belongs to it. `before` is the nearest earlier entry that is no tool's result.
bool begins_message(const Commit& answer, const Commit& before) {
  if (!is_answer(*before.type)) return true;
  if (*before.type == Type::reasoning) return false;
  const std::string id = message_id_of(answer);
  return id.empty() || id != message_id_of(before);
}

// Reads the newest commits, newest first, to one that begins a message; empty if none does. Commits
// that append no entry do not count as neighbours.
Result<std::vector<NamedCommit>> read_newest(const store::Reader& reader, const Oid& tip,
                                             std::uint64_t count) {
  std::vector<NamedCommit> read;
  std::size_t found = 0;      // The number of commits to return.
  std::size_t candidate = 0;  // Likewise, if the next entry is of another message.
  TRY(reader.run(tip, count + kMostToMessage, [&](const NamedCommit& named) {
    read.push_back(named);
    const Commit& commit = *named.commit;
    const bool is_entry = commit.op == store::Op::append && is_prompt_type(*commit.type);
    if (!is_entry || *commit.type == Type::tool) return true;
    if (candidate > 0 && begins_message(*read[candidate - 1].commit, commit)) found = candidate;
    candidate = 0;
    if (found > 0 || read.size() < count) return found == 0;
    (is_answer(*commit.type) ? candidate : found) = read.size();
    return found == 0;
  }));
  read.resize(found);
  return read;
}

// Returns the commits before `depth` that the fold needs, newest first; nullopt if the line is not
// what the index says.
Result<std::optional<std::vector<NamedCommit>>> read_needed(const store::Reader& reader,
                                                            std::vector<CommitAtDepth> needed,
                                                            std::uint64_t depth) {
  std::vector<NamedCommit> read;
  for (auto at = needed.rbegin(); at != needed.rend(); ++at) {
    if (at->depth >= depth) continue;
    NamedCommit named{at->oid, TRY(reader.commit(at->oid))};
    if (named.commit->depth != at->depth) return std::optional<std::vector<NamedCommit>>();
    read.push_back(std::move(named));
  }
  return std::optional(std::move(read));
}

// Adds `wanted` to the commits if it is on the line to `tip`.
Result<void> add_wanted(const store::Reader& reader, const Oid& tip, const Oid& wanted,
                        std::vector<CommitAtDepth>& needed) {
  if (!TRY(store::is_on_line(reader, wanted, tip))) return {};
  const CommitAtDepth added{TRY(reader.commit(wanted))->depth, wanted};
  const auto place =
      std::find_if(needed.begin(), needed.end(),
                   [&added](const CommitAtDepth& each) { return each.depth >= added.depth; });
  if (place == needed.end() || *place != added) needed.insert(place, added);
  return {};
}

// True if no entry depends on one that may be missing.
bool is_independent(const State& state) {
  const auto& entries = state.entries();
  for (std::uint32_t i = 0; i < *state.complete_from(); ++i) {
    const Entry& entry = entries[i];
    if (entry.priority != Priority::pinned || entry.is_compressed()) continue;
    const bool may_have_pair = entry.type == Type::tool || entry.calls() != nullptr;
    if (may_have_pair || is_answer(entry.type)) return false;
  }
  return std::none_of(entries.begin() + *state.complete_from(), entries.end(), has_erased_calls);
}

Result<std::optional<State>> fold(const store::Reader& reader, const LineIndex& index,
                                  const Oid& tip, const PartOptions& options) {
  auto needed = TRY(index.needed(tip));
  if (!needed) return std::optional<State>();
  std::uint64_t depth = TRY(reader.commit(tip))->depth + 1;
  std::vector<NamedCommit> newest;
  if (options.newest > 0) {
    newest = TRY(read_newest(reader, tip, options.newest));
    if (newest.empty()) return std::optional<State>();
    depth = newest.back().commit->depth;
  }
  if (options.wanted) TRY(add_wanted(reader, tip, *options.wanted, *needed));
  const auto older = TRY(read_needed(reader, std::move(*needed), depth));
  if (!older) return std::optional<State>();
  State state;
  std::optional<Oid> reached;
  TRY(apply_all(reader, *older, state, reached));
  state.begin_complete_part();
  TRY(apply_all(reader, newest, state, reached));
  if (options.newest > 0 && !is_independent(state)) return std::optional<State>();
  return std::optional(std::move(state));
}

}  // namespace

Result<std::optional<State>> fold_part(const store::Reader& reader, const LineIndex& index,
                                       const Oid& tip, const PartOptions& options) {
  auto state = fold(reader, index, tip, options);
  // A complete fold finds the same problem, and says where.
  const bool is_damaged = !state && state.error().code != Error::Code::interrupted;
  return is_damaged ? std::optional<State>() : std::move(state);
}

}  // namespace spoor::compile
