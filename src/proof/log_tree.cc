#include "proof/log_tree.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/base64.h"
#include "proof/take_line.h"
#include "store/lines.h"
#include "store/operation_walk.h"

namespace spoor::proof {
namespace {

using store::LoggedOperation;
using store::Oid;

// Reads the operations after the folded ones.
Result<LogTree> read_after(const store::Store& store, store::OperationNames folded) {
  constexpr std::size_t kAtOnce = 1'000;
  LogTree log{folded.first, std::move(folded.names), {}};
  std::uint64_t last = log.names.empty() ? 0 : log.first + log.names.size() - 1;
  while (true) {
    const auto some = TRY(store::verified_operations(store, last, kAtOnce));
    for (const LoggedOperation& each : some) {
      const auto operation = TRY(store::parse_operation(each.body));
      if (log.names.empty()) {
        log.first = each.number;
      } else if (each.number != last + 1 ||
                 (!store.has_lanes() && operation.prev != log.names.back())) {
        return store::does_not_follow(each.number);
      }
      log.names.push_back(store::chain_name(operation, each.name));
      last = each.number;
    }
    if (some.size() < kAtOnce) break;
  }
  for (const Oid& name : log.names) log.tree.append(name.view());
  return log;
}

}  // namespace

std::string serialize(const Checkpoint& checkpoint) {
  return fmt::format("{}\n{}\n{}\n", checkpoint.origin, checkpoint.size,
                     encode_base64(checkpoint.root.view()));
}

Result<Checkpoint> parse_checkpoint(std::string_view text) {
  Checkpoint checkpoint;
  checkpoint.origin = take_line(text).value_or("");
  const auto size = store::parse_integer(take_line(text).value_or(""));
  const auto root = decode_base64(take_line(text).value_or(""));
  const auto hash = root ? Oid::from_bytes(*root) : std::nullopt;
  if (checkpoint.origin.empty() || !size || !hash) {
    return invalid("not a checkpoint of a log", "see https://c2sp.org/tlog-checkpoint");
  }
  checkpoint.size = *size;
  checkpoint.root = *hash;
  return checkpoint;
}

std::optional<std::uint64_t> LogTree::index_of(const Oid& operation) const {
  const auto at = std::find(names.begin(), names.end(), operation);
  if (at == names.end()) return std::nullopt;
  return static_cast<std::uint64_t>(at - names.begin());
}

Result<LogTree> read_log_tree(const store::Store& store) {
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto folded = TRY(store.folded_names());
    const std::size_t count = folded.names.size();
    auto log = read_after(store, std::move(folded));
    // If gc folded meanwhile, operations may be in neither part.
    if (TRY(store.folded_names()).names.size() == count) return log;
  }
  return unavailable("other programs keep folding the log", "try again when they are done");
}

std::string contradiction(const LogTree& log, const Checkpoint& checkpoint) {
  if (checkpoint.size > log.size()) {
    return fmt::format("the log was rolled back: it has {} of the {} operations of the checkpoint",
                       log.size(), checkpoint.size);
  }
  if (log.tree.root(checkpoint.size) != checkpoint.root) {
    return fmt::format("the log was rewritten: its first {} operations are not the checkpoint's",
                       checkpoint.size);
  }
  return {};
}

Result<Note> kept_checkpoint(const store::Store& store) {
  const auto kept = TRY(store.property(kKeptCheckpoint));
  if (!kept) return not_found("the log has no checkpoint yet", "run 'spoor checkpoint'");
  return parse_note(*kept);
}

}  // namespace spoor::proof
