#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/timestamp.h"
#include "llm/http/transport.h"
#include "llm/key.h"
#include "llm/provider.h"

namespace spoor::llm {

/// A provider behind HTTP: the profile says where and in which wire format, the transport carries
/// the bytes, the wire's parser makes a reply of them.
///
/// One call is one exchange: nothing is tried again here (retrying.h does), and no redirect is
/// followed. The key is in a header of the request and nowhere else: where a provider repeats it in
/// an error, it is taken out. Memory is bounded by wire::kMaxReply.
class HttpProvider final : public Provider, private TokenCounting, private ModelListing {
 public:
  /// `transport` and `clock` must outlive the provider. The clock reads dates of `retry-after`.
  HttpProvider(Profile profile, Key key, http::Transport& transport, const Clock& clock);

  const Profile& profile() const override { return profile_; }
  Reply complete(const Request& request, const OnEvent& on_event) override;

  /// Anthropic and Gemini count tokens. Members that only steer an answer are left out of the body.
  TokenCounting* token_counting() override;
  ModelListing* model_listing() override { return this; }

 private:
  Result<std::uint64_t> count(const Request& request) override;
  Result<std::vector<std::string>> models(std::stop_token stop) override;

  /// A small exchange that is not a model's reply: the whole body of a success.
  Result<std::string> fetch(const http::Request& request);

  http::Request begin(std::string method, std::string url) const;
  std::optional<Failure> missing_key() const;
  void finish(Failure& failure, const http::Head& head) const;
  Failure refusal(const http::Head& head, std::string_view body) const;

  const Profile profile_;
  const Key key_;
  http::Transport& transport_;
  const Clock& clock_;
};

}  // namespace spoor::llm
