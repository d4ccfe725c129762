#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "llm/http/transport.h"

namespace spoor::llm::http {

/// One HTTP exchange as it was, without its key.
struct Exchange {
  std::string method;  ///< of the request; empty: any
  std::string url;     ///< of the request; empty: any
  int status = 200;
  Headers headers;  ///< names in lower case
  std::string body;
  /// How the body arrives: pieces of these sizes, then what is left. Empty: at once.
  std::vector<std::size_t> chunks;
  std::optional<Failure> failure;  ///< what the exchange ended with, after the body

  bool operator==(const Exchange&) const = default;
};

/// A request that was made of a RecordedTransport. Holds the key, if one was sent.
struct SentRequest {
  std::string method;
  std::string url;
  Headers headers;
  std::string body;
};

/// A Transport without a network: plays exchanges back, one a request, in order, byte for byte and
/// piece by piece. A request for another method or address than was recorded, or past the end,
/// fails as Kind::invalid_request. Every request is kept.
class RecordedTransport final : public Transport {
 public:
  explicit RecordedTransport(std::vector<Exchange> exchanges);

  std::optional<Failure> send(const Request& request, const Sink& sink) override;

  /// What was sent, in order.
  std::vector<SentRequest> sent() const;

 private:
  const std::vector<Exchange> exchanges_;
  mutable std::mutex mutex_;
  std::vector<SentRequest> sent_;  // Guarded by mutex_.
};

/// Records what goes through another Transport, to be played back by the one above. Of a request's
/// headers nothing is kept, for there the key is.
class RecordingTransport final : public Transport {
 public:
  /// `real` must outlive it.
  explicit RecordingTransport(Transport& real) : real_(real) {}

  std::optional<Failure> send(const Request& request, const Sink& sink) override;

  /// The exchanges that have ended, in the order in which they did.
  std::vector<Exchange> exchanges() const;

 private:
  Transport& real_;
  mutable std::mutex mutex_;
  std::vector<Exchange> exchanges_;  // Guarded by mutex_.
};

}  // namespace spoor::llm::http
