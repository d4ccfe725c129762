#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/timestamp.h"
#include "llm/http/transport.h"
#include "llm/key.h"
#include "llm/provider.h"

namespace spoor::llm {

/// A provider over HTTP. The profile gives the address and the wire format, the transport carries
/// the bytes, and the wire's parser builds the reply.
///
/// One call is one exchange: it does not retry (retrying.h does) and does not follow redirects. The
/// key is sent in one request header only. If a provider repeats the key in an error, it is
/// removed. wire::kMaxReply bounds the memory.
class HttpProvider final : public Provider, private TokenCounting, private ModelListing {
 public:
  /// `transport` and `clock` must outlive the provider. The clock is used to read dates in
  /// `retry-after`.
  HttpProvider(Profile profile, Key key, http::Transport& transport, const Clock& clock);

  const Profile& profile() const override { return profile_; }
  Reply complete(const Request& request, const OnEvent& on_event) override;

  /// Non-null for Anthropic and Gemini. Members that only steer an answer are left out of the body.
  TokenCounting* token_counting() override;
  ModelListing* model_listing() override { return this; }

 private:
  Result<std::uint64_t> count(const Request& request) override;
  Result<std::vector<std::string>> models(std::stop_token stop) override;
  Result<ServedModel> describe(const std::string& model, std::stop_token stop) override;

  /// Returns the whole body of a successful exchange. For small exchanges other than completions.
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
