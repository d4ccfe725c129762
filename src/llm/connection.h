#pragma once

#include <memory>

#include "llm/client.h"
#include "llm/http/curl_transport.h"
#include "llm/retrying.h"

namespace spoor::llm {

/// A provider that is ready to be called, over HTTP and with retries, with everything it needs.
/// Connects at the first call.
class Connection final : public Provider {
 public:
  /// `clock` must outlive the connection. `transport` is not null.
  Connection(Profile profile, Key key, const Clock& clock,
             std::unique_ptr<http::Transport> transport = std::make_unique<http::CurlTransport>())
      : transport_(std::move(transport)),
        client_(std::move(profile), std::move(key), *transport_, clock) {}

  const Profile& profile() const override { return retrying_.profile(); }
  Reply complete(const Request& request, const OnEvent& on_event) override {
    return retrying_.complete(request, on_event);
  }
  TokenCounting* token_counting() override { return retrying_.token_counting(); }
  ModelListing* model_listing() override { return retrying_.model_listing(); }

 private:
  std::unique_ptr<http::Transport> transport_;
  RealWaiting waiting_;
  RealChance chance_;
  HttpProvider client_;
  RetryingProvider retrying_{client_, RetryPolicy{}, waiting_, chance_};
};

}  // namespace spoor::llm
