#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/operations/operations.h"
#include "api/workspace.h"
#include "c/guarded.h"
#include "c/handles.h"
#include "facade/access.h"
#include "proxy/recorder.h"

namespace spoor::c {

/// An open store. Safe from any thread.
class Store final : public Handle, private api::operations::Host {
 public:
  static Result<std::shared_ptr<Store>> open(const std::string& where,
                                             const spoor_open_options& options,
                                             const spoor_store_functions& functions);

  graph::Repository& repository() { return body_->repository(); }
  api::Workspace& workspace() { return body_->workspace; }

  /// Runs an agent: spoor_run(). Returns its result as JSON.
  Result<std::string> run_agent(std::string_view options, const spoor_run_functions& functions);

  /// Runs one request of `spoor batch` and returns its result. One at a time.
  Result<std::string> call(std::string_view request);

  /// Records an exchange with a provider, as a spool keeps it (proxy/exchange.h), without its
  /// credentials. Returns JSON. One at a time.
  Result<std::string> record(std::string_view exchange);

  /// A turn and the branch that it is to be on.
  struct Addition {
    std::string branch;
    compile::Turn turn;
  };

  /// Writes turns as one transaction, and returns their names in order.
  Result<std::vector<store::Oid>> write(const std::vector<Addition>& additions);

 private:
  class Capture;

  Store(std::unique_ptr<graph::Repository> repository, const std::string& where);
  Result<api::Context> listing_context() override;

  std::shared_ptr<spoor::Store::Body> body_;
  std::mutex calls_;
  api::operations::Context context_;  // Guarded by calls_.
  std::mutex recordings_;
  proxy::Recorder recorder_;  // Guarded by recordings_.
};

}  // namespace spoor::c
