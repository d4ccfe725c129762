#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "llm/models/served_model.h"
#include "llm/profile.h"
#include "llm/reply.h"

namespace spoor::llm {

/// The parameters of one model call.
struct Request {
  std::string model;     ///< the provider's name for it
  std::string body;      ///< the exact bytes to send, in the profile's wire format
  bool stream = true;    ///< true if `body` requests a stream
  std::stop_token stop;  ///< ends the call from another thread: Kind::interrupted
  std::chrono::milliseconds idle_timeout{
      120'000};  ///< the longest time without a byte, then Kind::timeout
  /// The longest that retries may wait in all. A wait that would take longer is not begun
  /// (Failure::not_waited). Nullopt: as the policy says.
  std::optional<std::chrono::milliseconds> most_wait = {};
  /// Called on the call's thread before each sending, including retries; not called if nothing is
  /// sent. If it returns false, nothing is sent and the call fails as interrupted. May be empty.
  std::function<bool()> before_send = {};
};

/// Calls `before_send`. Returns the call's failure if it returned false, nullopt to send the
/// request.
std::optional<Failure> held_back(const Request& request);

/// Receives events while a reply arrives, on the call's thread. May be empty.
using OnEvent = std::function<void(const ReplyEvent&)>;

/// Counts tokens at the provider. An optional ability of a provider.
class TokenCounting {
 public:
  virtual ~TokenCounting() = default;
  virtual Result<std::uint64_t> count(const Request& request) = 0;
};

/// Lists a provider's models. An optional ability of a provider.
class ModelListing {
 public:
  virtual ~ModelListing() = default;
  /// Returns names as in `Request::model`, sorted.
  virtual Result<std::vector<std::string>> models(std::stop_token stop) = 0;
  /// Asks the server what it says of one model; waits a few seconds at most.
  virtual Result<ServedModel> describe(const std::string& model, std::stop_token stop) = 0;
};

/// Sends requests to a model and reads replies. Independent of stores, commits and prompts; only
/// `generate` (generate.h) turns replies into commits.
///
/// Safe to call from several threads at once.
class Provider {
 public:
  virtual ~Provider() = default;

  /// Returns the profile, which determines the wire format and the replay rule. Lives as long as
  /// the provider.
  virtual const Profile& profile() const = 0;

  /// Sends `request` and reads the reply. Never throws and never loses received data: an error is
  /// in the reply's `failure`, next to the pieces received before it. Implementations call
  /// held_back() before each sending.
  virtual Reply complete(const Request& request, const OnEvent& on_event) = 0;

  /// Optional abilities; null if not supported. Owned by the provider.
  virtual TokenCounting* token_counting() { return nullptr; }
  virtual ModelListing* model_listing() { return nullptr; }
};

}  // namespace spoor::llm
