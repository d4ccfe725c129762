#include "store/operation_walk.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "store/oid_prefix.h"

namespace spoor::store {
namespace {

// Parses `@{n}` and returns n; nullopt for any other form.
std::optional<std::uint64_t> steps_back(std::string_view text) {
  if (!text.starts_with("@{") || !text.ends_with('}')) return std::nullopt;
  const std::string_view digits = text.substr(2, text.size() - 3);
  std::uint64_t count = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, count);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return count;
}

constexpr std::string_view kFolded = "folded ";
constexpr std::string_view kPrev = "prev ";
constexpr std::size_t kDigits = 64;

bool is_checkpoint(std::string_view body) { return body.starts_with(kFolded); }

// Returns whether `after` directly follows `before`, by its number and, if all operations are one
// chain, its first line.
bool is_next(const LoggedOperation& before, const LoggedOperation& after, bool has_lanes) {
  if (has_lanes) return after.number == before.number + 1;
  const std::string_view body = before.body;
  const std::string chain =
      is_checkpoint(body) ? std::string(body.substr(kFolded.size(), kDigits)) : before.name.hex();
  return after.number == before.number + 1 && after.body.starts_with(kPrev) &&
         std::string_view(after.body).substr(kPrev.size(), kDigits) == chain;
}

// Checks that `found` reaches the end of the log. Adds one operation if more were written
// meanwhile.
Result<void> check_end(const Store& store, std::uint64_t after,
                       std::vector<LoggedOperation>& found) {
  const auto newest = TRY(store.newest_operation());
  const std::uint64_t last = found.empty() ? after : found.back().number;
  if (!newest || newest->number <= last) return {};
  auto more = TRY(store.operations(last, 1));
  if (more.empty()) return does_not_follow(newest->number);
  // Another process wrote; the caller reads the rest next.
  found.push_back(std::move(more.front()));
  return {};
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

Error does_not_follow(std::uint64_t number) {
  return corrupt(fmt::format("operation {} does not follow the one before it", number),
                 "run 'spoor store fsck'");
}

Result<void> verify(const LoggedOperation& logged) {
  if (operation_name(logged.body) == logged.name) return {};
  return corrupt(
      fmt::format("the stored bytes of operation {} do not match its name", logged.number),
      "run 'spoor store fsck'");
}

Result<std::vector<LoggedOperation>> verified_operations(const Store& store, std::uint64_t after,
                                                         std::size_t limit) {
  auto found = TRY(store.operations(after, limit));
  if (found.size() < limit) TRY(check_end(store, after, found));
  const LoggedOperation* before = nullptr;
  for (const LoggedOperation& each : found) {
    TRY(verify(each));
    const bool follows = before != nullptr ? is_next(*before, each, store.has_lanes())
                                           : each.number == after + 1 || is_checkpoint(each.body);
    if (!follows) return does_not_follow(each.number);
    before = &each;
  }
  return found;
}

Result<void> walk_operations(const Store& store,
                             const std::function<Result<bool>(const LoggedOperation&)>& visit) {
  constexpr std::uint64_t kAtOnce = 64;
  const auto newest = TRY(store.newest_operation());
  std::uint64_t end = newest ? newest->number : 0;  // The newest operation not visited yet.
  while (end > 0) {
    const std::uint64_t after = end - std::min(end, kAtOnce);
    const auto some = TRY(verified_operations(store, after, static_cast<std::size_t>(end - after)));
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
                   "use an id from 'spoor oplog', 4 digits or more of it, or @{0}, the newest");
  }
  std::vector<LoggedOperation> found;
  TRY(walk_operations(store, [&](const LoggedOperation& logged) -> Result<bool> {
    if (has_prefix(logged.name, text)) found.push_back(logged);
    return true;
  }));
  if (found.empty()) {
    return not_found(fmt::format("no operation '{}'", text), "list them with 'spoor oplog'");
  }
  if (found.size() > 1) {
    return ambiguous(
        fmt::format("'{}' matches {} operations", text, found.size()),
        fmt::format("give more digits: {} or {}", found[0].name.hex(16), found[1].name.hex(16)));
  }
  return std::move(found[0]);
}

}  // namespace spoor::store
