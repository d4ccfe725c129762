#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "llm/provider.h"
#include "llm/waiting.h"

namespace spoor::llm {

/// The behaviour of a ScriptedProvider in one call.
struct ScriptedAnswer {
  Reply reply;                           ///< returned by `complete`. A failure follows the pieces.
  std::chrono::milliseconds before{0};   ///< the delay before the first event
  std::chrono::milliseconds between{0};  ///< the delay before each later event
  std::size_t event_size =
      16;  ///< the size of text events in bytes, rounded up to whole characters
};

/// Returns the profile `scripted`, which needs no key.
Profile scripted_profile();

/// Return a reply with the text `text`, and a reply that failed before any data arrived.
Reply say(std::string text);
Reply fail(Failure failure);

/// A Provider without a model, for tests, demos and dry runs. It answers from a list, or by a
/// function of the request. It streams like a real one: reasoning and text in small events, a call
/// by its name. If it is stopped between two events, it returns the part reported so far, as
/// interrupted.
///
/// After the end of the list, every call fails with Kind::invalid_request.
class ScriptedProvider final : public Provider {
 public:
  /// `number` counts the calls from 0. Called by one thread at a time.
  using Script = std::function<ScriptedAnswer(const Request& request, std::size_t number)>;

  /// `waiting` must outlive the provider.
  ScriptedProvider(Profile profile, std::vector<ScriptedAnswer> answers, Waiting& waiting);
  ScriptedProvider(Profile profile, Script script, Waiting& waiting);

  const Profile& profile() const override { return profile_; }
  Reply complete(const Request& request, const OnEvent& on_event) override;

  /// Returns the received requests in order.
  std::vector<Request> requests() const;

 private:
  ScriptedAnswer next(const Request& request);

  const Profile profile_;
  const Script script_;
  Waiting& waiting_;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;  // Guarded by mutex_.
};

}  // namespace spoor::llm
