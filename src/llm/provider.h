#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "llm/profile.h"
#include "llm/reply.h"

namespace spoor::llm {

/// One call of a model.
struct Request {
  std::string model;     ///< as the provider calls it
  std::string body;      ///< the exact bytes to send, in the wire format of the profile
  bool stream = true;    ///< does `body` ask for a stream?
  std::stop_token stop;  ///< ends the call from another thread: Kind::interrupted
  std::chrono::milliseconds idle_timeout{120'000};  ///< with no byte for so long: Kind::timeout
  /// Called on the thread of the call before each sending, also before one that is tried again, and
  /// not where nothing is sent. False: nothing is sent, and the call fails as interrupted. May be
  /// empty.
  std::function<bool()> before_send = {};
};

/// Is the request not to be sent? The failure of a call that `before_send` gave up.
std::optional<Failure> held_back(const Request& request);

/// Told of a reply while it arrives, on the thread of the call. May be empty.
using OnEvent = std::function<void(const ReplyEvent&)>;

/// Counts tokens at the provider. An ability that a provider may have.
class TokenCounting {
 public:
  virtual ~TokenCounting() = default;
  virtual Result<std::uint64_t> count(const Request& request) = 0;
};

/// Lists a provider's models. An ability that a provider may have.
class ModelListing {
 public:
  virtual ~ModelListing() = default;
  /// Names as `Request::model` takes them, sorted.
  virtual Result<std::vector<std::string>> models(std::stop_token stop) = 0;
};

/// A model behind a wire: bytes of a request in, a reply out. Knows nothing of stores, commits or
/// prompts; `generate` (generate.h) alone turns replies into commits.
///
/// Safe to call from several threads at once.
class Provider {
 public:
  virtual ~Provider() = default;

  /// What it speaks and what it demands back. As long-lived as the provider.
  virtual const Profile& profile() const = 0;

  /// Sends `request` and reads the reply. Never throws and never loses what arrived: what went
  /// wrong is the reply's `failure`, beside the pieces that came before it. Whatever sends calls
  /// held_back() first, each time.
  virtual Reply complete(const Request& request, const OnEvent& on_event) = 0;

  /// Abilities; null where there is none, and callers do without. Owned by the provider.
  virtual TokenCounting* token_counting() { return nullptr; }
  virtual ModelListing* model_listing() { return nullptr; }
};

}  // namespace spoor::llm
