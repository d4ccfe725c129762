#include "store/check/log_check.h"

#include <fmt/format.h>

namespace spoor::store::check {
namespace {

std::string shown(const std::optional<Oid>& oid) { return oid ? oid->hex(12) : "absent"; }

}  // namespace

void LogCheck::take(const LoggedOperation& logged) {
  const std::string subject = fmt::format("operation {}", logged.number);
  const auto operation = read(logged);

  const bool is_first = count_ == 0;
  const bool starts_late = is_first && operation && operation->folded;
  if (logged.number != number_ + 1 && !starts_late && (!is_first || operation)) {
    findings_.add(Rule::op_number, subject, fmt::format("comes after operation {}", number_));
  }
  if (operation) {
    check_chain(*operation, subject);
    check_moves(*operation, subject);
    tell_graph(*operation, logged.number);
    log_.apply(logged.number, logged.name, *operation);
    chain_ = chain_name(*operation, logged.name);
    or_chain_.reset();
    time_ = operation->time;
    if (has_lanes_ && !operation->folded) {
      for (const RefMove& move : operation->refs) {
        lanes_.insert_or_assign(move.name, LaneEnd{logged.name, operation->time});
      }
    }
  } else {
    is_whole_ = false;
    lanes_.clear();
    chain_ = logged.name;
    or_chain_ = operation_name(logged.body);
  }
  names_.intern(logged.name);
  name_ = logged.name;
  number_ = logged.number;
  ++count_;
}

// Verifies and parses an operation. On failure, adds a finding and returns nullopt.
std::optional<Operation> LogCheck::read(const LoggedOperation& logged) {
  const std::string subject = fmt::format("operation {}", logged.number);
  if (const Oid computed = operation_name(logged.body); computed != logged.name) {
    findings_.add(
        Rule::op_name, subject,
        fmt::format("is named {}, but its bytes hash to {}", logged.name.hex(), computed.hex()));
    return std::nullopt;
  }
  auto parsed = parse_operation(logged.body);
  if (!parsed) {
    findings_.add(Rule::op_shape, subject, parsed.error().message);
    return std::nullopt;
  }
  if (parsed->folded && count_ > 0) {
    findings_.add(Rule::op_shape, subject, "is a checkpoint, but not the first of the log");
  }
  return std::move(parsed).value();
}

void LogCheck::check_chain(const Operation& operation, const std::string& subject) {
  if (operation.folded) {
    starts_with_checkpoint_ = starts_with_checkpoint_ || count_ == 0;
  } else if (has_lanes_) {
    check_lane(operation, subject);
  } else {
    if (!or_chain_ || operation.prev != or_chain_) check_prev(operation, chain_, subject);
    check_time(operation, time_, subject);
  }
  // An operation that a checkpoint replaces can be undone but is no longer in the log.
  if (operation.undo && !starts_with_checkpoint_ && !names_.find(*operation.undo)) {
    findings_.add(
        Rule::op_undo, subject,
        fmt::format("undoes {}, which is not an earlier operation", operation.undo->hex()));
  }
}

void LogCheck::check_lane(const Operation& operation, const std::string& subject) {
  const auto first = lanes_.find(operation.refs.front().name);
  // The one before may have been replaced by a checkpoint, or be unreadable.
  const bool is_whole = is_whole_ && !starts_with_checkpoint_;
  if (first != lanes_.end()) {
    check_prev(operation, first->second.name, subject);
  } else if (is_whole) {
    check_prev(operation, std::nullopt, subject);
  }
  for (const RefMove& move : operation.refs) {
    const auto end = lanes_.find(move.name);
    if (end != lanes_.end()) check_time(operation, end->second.time, subject);
  }
}

void LogCheck::check_prev(const Operation& operation, const std::optional<Oid>& before,
                          const std::string& subject) {
  if (operation.prev == before) return;
  findings_.add(Rule::op_prev, subject,
                fmt::format("its 'prev' is {}, but the operation before is {}",
                            shown(operation.prev), shown(before)));
}

void LogCheck::check_time(const Operation& operation, Timestamp before,
                          const std::string& subject) {
  if (!(operation.time < before)) return;
  findings_.add(Rule::op_time, subject,
                fmt::format("is of {}, before {}", operation.time.text(), before.text()));
}

void LogCheck::check_moves(const Operation& operation, const std::string& subject) {
  // After an unreadable operation the refs are unknown.
  if (operation.folded || !is_whole_) return;
  for (const RefMove& move : operation.refs) {
    const auto was = log_.ref(move.name);
    if (was == move.before) continue;
    findings_.add(Rule::op_before, subject,
                  fmt::format("moves '{}' from {}, but it was at {}", move.name, shown(move.before),
                              shown(was)));
  }
}

void LogCheck::tell_graph(const Operation& operation, std::uint64_t number) {
  for (const RefMove& move : operation.refs) {
    const bool may_be_tag = move.name.starts_with(tag_ref(""));
    if (move.before) graph_.add_logged(*move.before, number, may_be_tag);
    if (move.after) graph_.add_logged(*move.after, number, may_be_tag);
  }
  for (const auto& [before, after] : operation.map) {
    graph_.add_logged(before, number, false);
    graph_.add_logged(after, number, false);
  }
}

}  // namespace spoor::store::check
