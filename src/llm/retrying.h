#pragma once

#include <chrono>
#include <optional>

#include "llm/provider.h"
#include "llm/waiting.h"

namespace spoor::llm {

/// How patient one is.
struct RetryPolicy {
  int retries = 4;                            ///< calls after the first
  std::chrono::milliseconds first{500};       ///< about so long before the second call, …
  std::chrono::milliseconds longest{30'000};  ///< … doubled each time up to here
  /// A provider that asks for more is not waited for: the failure says how long it asked.
  std::chrono::milliseconds longest_asked{120'000};

  bool operator==(const RetryPolicy&) const = default;
};

/// May the same call succeed a little later? What the provider says (`x-should-retry`) goes first;
/// else 408, 409, 429 and 5xx, and calls that ended without a status or an answer: no connection,
/// silence, an end too early, an error event. Never quota, spend limits and limits of the day
/// (Kind::quota), nor what was stopped.
bool is_worth_retrying(const Failure& failure);

/// How long to wait before call number `retry` + 1, `retry` from 1: what the provider asks, else
/// doubled times, of which `fraction` (0 to 1) of the second half. Nothing: longer than the policy
/// waits.
std::optional<std::chrono::milliseconds> wait_before(int retry, const Failure& failure,
                                                     const RetryPolicy& policy, double fraction);

/// A Provider that calls another one again when a call fails and is_worth_retrying(). It says so
/// with a ReplyEvent of Kind::waiting before each wait; a stop_token ends the wait.
///
/// Nothing is called again once a piece of its reply was handed on, or is in the reply: the user
/// has seen it, and it was paid for. A stream that breaks after that is returned with its pieces
/// and its failure. Counts and lists are passed on as they are.
class RetryingProvider final : public Provider {
 public:
  /// All but the policy are borrowed and must outlive it.
  RetryingProvider(Provider& provider, RetryPolicy policy, Waiting& waiting, Chance& chance)
      : provider_(provider), policy_(policy), waiting_(waiting), chance_(chance) {}

  const Profile& profile() const override { return provider_.profile(); }
  Reply complete(const Request& request, const OnEvent& on_event) override;
  TokenCounting* token_counting() override { return provider_.token_counting(); }
  ModelListing* model_listing() override { return provider_.model_listing(); }

 private:
  Provider& provider_;
  const RetryPolicy policy_;
  Waiting& waiting_;
  Chance& chance_;
};

}  // namespace spoor::llm
