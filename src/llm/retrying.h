#pragma once

#include <chrono>
#include <optional>

#include "llm/provider.h"
#include "llm/waiting.h"

namespace spoor::llm {

/// How often and how long to wait before retries.
struct RetryPolicy {
  int retries = 4;                            ///< calls after the first
  int patient_retries = 12;                   ///< the same for a provider that is overloaded or
                                              ///< limits the rate: some minutes
  std::chrono::milliseconds first{500};       ///< approximate wait before the second call, …
  std::chrono::milliseconds longest{60'000};  ///< … doubled each time up to this limit
  /// If a provider asks for a longer wait, the call is not retried and the failure contains the
  /// wait.
  std::chrono::milliseconds longest_asked{600'000};

  bool operator==(const RetryPolicy&) const = default;
};

/// Returns true if the same call may succeed a little later. The provider's `x-should-retry` has
/// priority. Otherwise true for 408, 409, 429 and 5xx, and for calls that ended without a status or
/// an answer: no connection, a timeout, an early end, an error event. Never true for quotas, spend
/// limits and daily limits (Kind::quota) or for interrupted calls.
bool is_worth_retrying(const Failure& failure);

/// Returns the wait before call number `retry` + 1, with `retry` from 1: the provider's wait if it
/// sent one, else the doubled wait, whose second half is scaled by `fraction` (0 to 1). Returns
/// nullopt if the provider asks for more than the policy allows.
std::optional<std::chrono::milliseconds> wait_before(int retry, const Failure& failure,
                                                     const RetryPolicy& policy, double fraction);

/// Retries calls of another Provider that fail and is_worth_retrying(). Reports a ReplyEvent of
/// Kind::waiting before each wait; a stop_token ends the wait.
///
/// A call is not retried after a piece of its reply was passed on or is in the reply: the user has
/// seen it, and it was paid for. A stream that breaks later is returned with its pieces and its
/// failure. Counts and lists are passed on without retries.
class RetryingProvider final : public Provider {
 public:
  /// All but the policy are borrowed and must outlive this object.
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
