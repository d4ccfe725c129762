#include "llm/retrying.h"

#include <fmt/format.h>

#include <algorithm>

namespace spoor::llm {
namespace {

using std::chrono::milliseconds;

/// Returns, for example, `overloaded (529)`.
std::string short_reason(const Failure& failure) {
  const std::string_view kind = name_of(failure.kind);
  return failure.status == 0 ? std::string(kind) : fmt::format("{} ({})", kind, failure.status);
}

std::string in_seconds(milliseconds time) {
  return fmt::format("{:.1f} s", static_cast<double>(time.count()) / 1000);
}

bool is_retried_status(int status) {
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

// Waiting helps more surely if the provider is there but busy.
int retries_after(const Failure& failure, const RetryPolicy& policy) {
  const bool is_busy =
      failure.kind == Failure::Kind::overloaded || failure.kind == Failure::Kind::rate_limited;
  return is_busy ? std::max(policy.retries, policy.patient_retries) : policy.retries;
}

Reply stopped_while_waiting(Reply reply) {
  reply.failure->message =
      fmt::format("the call was stopped while it waited, after: {}", reply.failure->message);
  reply.failure->kind = Failure::Kind::interrupted;
  return reply;
}

}  // namespace

bool is_worth_retrying(const Failure& failure) {
  using Kind = Failure::Kind;
  if (failure.kind == Kind::quota || failure.kind == Kind::interrupted) return false;
  if (failure.should_retry) return *failure.should_retry;
  if (failure.status != 0) return is_retried_status(failure.status);
  switch (failure.kind) {
    case Kind::rate_limited:
    case Kind::overloaded:
    case Kind::timeout:
    case Kind::server:
    case Kind::network:
      return true;
    case Kind::quota:
    case Kind::unauthorized:
    case Kind::not_found:
    case Kind::too_long:
    case Kind::invalid_request:
    case Kind::malformed:
    case Kind::interrupted:
      break;
  }
  return false;
}

std::optional<milliseconds> wait_before(int retry, const Failure& failure,
                                        const RetryPolicy& policy, double fraction) {
  if (failure.retry_after) {
    if (*failure.retry_after > policy.longest_asked) return std::nullopt;
    return *failure.retry_after;
  }
  milliseconds most = std::min(policy.first, policy.longest);
  for (int i = 1; i < retry && most < policy.longest; ++i)
    most = std::min(most * 2, policy.longest);
  const auto half = static_cast<double>(most.count()) / 2;
  return milliseconds(static_cast<std::int64_t>(half + half * fraction));
}

Reply RetryingProvider::complete(const Request& request, const OnEvent& on_event) {
  bool has_told = false;
  const OnEvent telling = [&](const ReplyEvent& event) {
    if (event.kind != ReplyEvent::Kind::waiting) has_told = true;
    if (on_event) on_event(event);
  };

  std::chrono::milliseconds waited{0};
  for (int retry = 1;; ++retry) {
    Reply reply = provider_.complete(request, telling);
    reply.attempts = retry;
    const int most = reply.failure ? retries_after(*reply.failure, policy_) : 0;
    const bool may_retry = !has_told && reply.pieces.empty() && retry <= most;
    if (!may_retry || !is_worth_retrying(*reply.failure)) return reply;
    const auto wait = wait_before(retry, *reply.failure, policy_, chance_.fraction());
    if (!wait) return reply;
    waited += *wait;
    if (request.most_wait && waited > *request.most_wait) {
      reply.failure->not_waited = *wait;
      return reply;
    }

    const std::string text = fmt::format("{}: again in {}, {} of {}", short_reason(*reply.failure),
                                         in_seconds(*wait), retry, most);
    telling({.kind = ReplyEvent::Kind::waiting, .text = text});
    waiting_.wait(*wait, request.stop);
    if (request.stop.stop_requested()) return stopped_while_waiting(std::move(reply));
  }
}

}  // namespace spoor::llm
