#include "store/log_fold.h"

#include <fmt/format.h>

namespace spoor::store {
namespace {

constexpr std::size_t kOperationsPerRead = 1'000;

struct Entry {
  LoggedOperation logged;
  Operation operation;
};

void add_names(const Entry& entry, LogParts& parts) {
  parts.operations.push_back(entry.logged.name);
  if (entry.operation.folded) parts.operations.push_back(*entry.operation.folded);
  const auto names = names_in(entry.operation);
  parts.needed.insert(parts.needed.end(), names.begin(), names.end());
}

}  // namespace

std::vector<Oid> names_in(const Operation& operation) {
  std::vector<Oid> names;
  for (const RefMove& move : operation.refs) {
    if (move.before) names.push_back(*move.before);
    if (move.after) names.push_back(*move.after);
  }
  for (const auto& [original, copy] : operation.map) {
    names.push_back(original);
    names.push_back(copy);
  }
  return names;
}

Result<LogParts> part_log(const Store& store, Timestamp keep_since) {
  LogParts parts;
  RefLog log;
  std::uint64_t past_count = 0;
  std::optional<Entry> first;  // The log's first operation, while no other is past the retention.
  std::uint64_t number = 0;
  while (true) {
    const auto some = TRY(store.operations(number, kOperationsPerRead));
    for (const LoggedOperation& logged : some) {
      number = logged.number;
      if (operation_name(logged.body) != logged.name) {
        return corrupt(fmt::format("operation {} is damaged", number), "run 'spoor store fsck'");
      }
      Entry entry{logged, TRY(parse_operation(logged.body))};
      // With lanes, a later operation may be of an earlier time.
      if (!parts.operations.empty() || !(entry.operation.time < keep_since)) {
        add_names(entry, parts);
        continue;
      }
      log.apply(number, logged.name, entry.operation);
      parts.past = number;
      parts.time = entry.operation.time;
      parts.folded = chain_name(entry.operation, logged.name);
      first = ++past_count == 1 ? std::optional(std::move(entry)) : std::nullopt;
    }
    if (some.size() < kOperationsPerRead) break;
  }
  if (first) {
    add_names(*first, parts);
  } else if (past_count > 1) {
    parts.folds = past_count;
    parts.refs = log.refs();
    parts.operations.push_back(parts.folded);
    for (const auto& [name, target] : parts.refs) parts.needed.push_back(target);
  }
  return parts;
}

Result<LoggedOperation> checkpoint_of(const LogParts& parts, const std::string& actor) {
  Operation checkpoint;
  checkpoint.folded = parts.folded;
  checkpoint.time = parts.time;
  checkpoint.actor = actor;
  checkpoint.command = "gc";
  for (const auto& [name, target] : parts.refs) {
    checkpoint.refs.push_back({name, std::nullopt, target});
  }
  std::string body = TRY(serialize(checkpoint));
  const Oid name = operation_name(body);
  return LoggedOperation{parts.past, name, std::move(body)};
}

}  // namespace spoor::store
