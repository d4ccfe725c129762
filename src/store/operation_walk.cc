#include "store/operation_walk.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "store/oid_prefix.h"

namespace spoor::store {
namespace {

// The n of `@{n}`; nothing when it is not of that form.
std::optional<std::uint64_t> steps_back(std::string_view text) {
  if (!text.starts_with("@{") || !text.ends_with('}')) return std::nullopt;
  const std::string_view digits = text.substr(2, text.size() - 3);
  std::uint64_t count = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, count);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return count;
}

Result<LoggedOperation> operation_before_newest(const Store& store, std::uint64_t steps) {
  std::uint64_t seen = 0;
  std::optional<LoggedOperation> found;
  TRY(walk_operations(store, [&](const LoggedOperation& logged) -> Result<bool> {
    if (seen++ == steps) found = logged;
    return !found;
  }));
  if (found) return std::move(*found);
  return not_found(fmt::format("the log has only {} operation{}", seen, seen == 1 ? "" : "s"),
                   "list them with 'spoor oplog'");
}

}  // namespace

Result<void> walk_operations(const Store& store,
                             const std::function<Result<bool>(const LoggedOperation&)>& visit) {
  constexpr std::uint64_t kAtOnce = 64;
  const auto newest = TRY(store.newest_operation());
  std::uint64_t end = newest ? newest->number : 0;  // The newest that was not visited yet.
  while (end > 0) {
    const std::uint64_t after = end - std::min(end, kAtOnce);
    const auto some = TRY(store.operations(after, static_cast<std::size_t>(end - after)));
    for (auto at = some.rbegin(); at != some.rend(); ++at) {
      if (at->number <= end && !TRY(visit(*at))) return {};
    }
    if (some.empty()) return {};  // The log was folded up to here.
    end = after;
  }
  return {};
}

Result<LoggedOperation> find_operation(const Store& store, std::string_view text) {
  if (const auto steps = steps_back(text)) return operation_before_newest(store, *steps);
  if (!lowest_oid_with(text) || text.size() < 4) {
    return invalid(fmt::format("'{}' names no operation", text),
                   "take an id of 'spoor oplog', 4 digits or more of it, or @{0}, the newest");
  }
  std::vector<LoggedOperation> found;
  TRY(walk_operations(store, [&](const LoggedOperation& logged) -> Result<bool> {
    if (has_prefix(logged.name, text)) found.push_back(logged);
    return true;
  }));
  if (found.empty()) {
    return not_found(fmt::format("there is no operation '{}'", text),
                     "list them with 'spoor oplog'");
  }
  if (found.size() > 1) {
    return ambiguous(
        fmt::format("'{}' names {} operations", text, found.size()),
        fmt::format("give more digits: {} or {}", found[0].name.hex(16), found[1].name.hex(16)));
  }
  return std::move(found[0]);
}

}  // namespace spoor::store
