#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"

namespace spoor::llm {

/// The refs of requests whose end is not recorded: one for each call that is on its way, or whose
/// process is gone. Each names a decision `request-begun`.
constexpr std::string_view kOpenRequests = "refs/requests/open/";

/// The chain of failed calls that no run records: decisions `call-failed`.
constexpr const char* kFailedRequests = "refs/requests/failed";

/// The decision of a request that is about to be sent. Its facts are `provider`, `model`,
/// `attempts` from 2, and those of its caller. All of them are a chain, `refs/runs/RUN/requests`,
/// or `refs/requests/sent` of those that no run makes: no branch holds them, so no prompt does.
/// Those of a run have a bundle, as answers have; the other chain would keep every history that was
/// asked.
constexpr std::string_view kRequestBegun = "request-begun";

/// A request that was begun, and of which no end is recorded. Its cost is not known.
struct OpenRequest {
  std::string ref;
  compile::Oid commit;
  std::string provider;
  std::string model;  ///< as it was asked for
  std::string run;    ///< empty: of no run
  std::string purpose;
  std::int64_t step = 0;
  std::int64_t attempts = 1;           ///< how often it was sent
  std::optional<compile::Oid> prompt;  ///< the bundle of what was sent; of no run: nothing
};

/// All of a store, or those of a run, in the order of their refs. The cost follows their number. A
/// ref that names something else is passed over.
Result<std::vector<OpenRequest>> open_requests(const graph::Repository& repository,
                                               std::string_view run = {});

/// How often they were sent, together.
std::uint64_t sendings_of(const std::vector<OpenRequest>& requests);

/// The decision that ends a request whose process is gone: a failed call, lost.
compile::Turn lost_call_turn(const OpenRequest& request);

/// Records in a draft what a call was sent, and gives the name of its bundle.
using PutPrompt = std::function<Result<compile::Oid>(graph::Draft&)>;

/// Says in the store that a request is about to be sent, so that one that nobody answers for is
/// known. For one call and one thread; `repository` must outlive it.
class RequestRecord {
 public:
  RequestRecord(graph::Repository& repository, compile::Facts facts, PutPrompt put);

  /// Durable when it returns, as every commit. The next one says that the request is sent again.
  Result<void> begin();

  /// Was anything sent?
  bool has_begun() const { return attempts_ > 0; }

  /// Ends the record in the draft that holds the answer, or the failure.
  Result<void> settle(graph::Draft& draft) const;

 private:
  graph::Repository& repository_;
  const compile::Facts facts_;
  const PutPrompt put_;
  std::string ref_;  // Empty: not begun.
  std::int64_t attempts_ = 0;
};

}  // namespace spoor::llm
