#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"

namespace spoor::llm {

/// The prefix of the refs of open requests: one for each call that is in progress or whose process
/// has ended. Each points to a decision `request-begun`.
constexpr std::string_view kOpenRequests = "refs/requests/open/";

/// The chain of failed calls that no run records: decisions `call-failed`.
constexpr const char* kFailedRequests = "refs/requests/failed";

/// The decision of a request that is about to be sent. Its facts are `provider`, `model`,
/// `attempts` from the second sending on, and the caller's facts. The decisions form a chain:
/// `refs/runs/RUN/requests`, or `refs/requests/sent` for requests without a run. No branch contains
/// them, so no prompt does. Those of a run have a bundle, as answers have; the other chain has
/// none, because it would keep the history of every request.
constexpr std::string_view kRequestBegun = "request-begun";

/// A request that was begun and whose end is not recorded. Its cost is unknown.
struct OpenRequest {
  std::string ref;
  compile::Oid commit;
  std::string provider;
  std::string model;  ///< as requested
  std::string run;    ///< empty: no run
  std::string purpose;
  std::int64_t step = 0;
  std::int64_t attempts = 1;           ///< how often it was sent
  std::optional<compile::Oid> prompt;  ///< the bundle of the request; nullopt without a run
};

/// Returns all open requests of the store, or those of `run`, in the order of their refs. Takes
/// time proportional to their number. Skips refs that point to other commits.
Result<std::vector<OpenRequest>> open_requests(const graph::Repository& repository,
                                               std::string_view run = {});

/// Returns the sum of their attempts.
std::uint64_t sendings_of(const std::vector<OpenRequest>& requests);

/// Returns the decision that ends a request whose process has ended: a failed call with the failure
/// kLost.
compile::Turn lost_call_turn(const OpenRequest& request);

/// Records the request of a call in a draft and returns the name of its bundle.
using PutPrompt = std::function<Result<compile::Oid>(graph::Draft&)>;

/// Records in the store that a request is about to be sent, so that requests without an answer are
/// known. For one call and one thread; `repository` must outlive it.
class RequestRecord {
 public:
  RequestRecord(graph::Repository& repository, compile::Facts facts, PutPrompt put);

  /// Records one sending. Durable when it returns, like every commit. Each further call records
  /// that the request is sent again.
  Result<void> begin();

  /// Returns true if anything was sent.
  bool has_begun() const { return attempts_ > 0; }

  /// Ends the record in the draft that contains the answer or the failure.
  Result<void> settle(graph::Draft& draft) const;

 private:
  graph::Repository& repository_;
  const compile::Facts facts_;
  const PutPrompt put_;
  std::string ref_;  // Empty: not begun.
  std::int64_t attempts_ = 0;
};

}  // namespace spoor::llm
