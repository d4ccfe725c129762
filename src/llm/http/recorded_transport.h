#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "llm/http/transport.h"

namespace spoor::llm::http {

/// A recorded HTTP exchange, without its key.
struct Exchange {
  std::string method;  ///< of the request; empty: any
  std::string url;     ///< of the request; empty: any
  int status = 200;
  Headers headers;  ///< names in lower case
  std::string body;
  /// The sizes of the pieces in which the body arrives, then the rest. Empty: in one piece.
  std::vector<std::size_t> chunks;
  std::optional<Failure> failure;  ///< the failure that ended the exchange, after the body

  bool operator==(const Exchange&) const = default;
};

/// A request to a RecordedTransport. Contains the key, if one was sent.
struct SentRequest {
  std::string method;
  std::string url;
  Headers headers;
  std::string body;
};

/// A Transport without a network. It plays recorded exchanges back in order, one per request, byte
/// for byte and piece by piece. A request with another method or URL than recorded, or after the
/// end, fails with Kind::invalid_request. All requests are kept.
class RecordedTransport final : public Transport {
 public:
  explicit RecordedTransport(std::vector<Exchange> exchanges);

  std::optional<Failure> send(const Request& request, const Sink& sink) override;

  /// Returns the requests in order.
  std::vector<SentRequest> sent() const;

 private:
  const std::vector<Exchange> exchanges_;
  mutable std::mutex mutex_;
  std::vector<SentRequest> sent_;  // Guarded by mutex_.
};

/// Records the exchanges of another Transport, for playback by a RecordedTransport. It discards the
/// request headers because they contain the key.
class RecordingTransport final : public Transport {
 public:
  /// `real` must outlive this object.
  explicit RecordingTransport(Transport& real) : real_(real) {}

  std::optional<Failure> send(const Request& request, const Sink& sink) override;

  /// Returns the exchanges that have ended, in the order of their ends.
  std::vector<Exchange> exchanges() const;

 private:
  Transport& real_;
  mutable std::mutex mutex_;
  std::vector<Exchange> exchanges_;  // Guarded by mutex_.
};

}  // namespace spoor::llm::http
