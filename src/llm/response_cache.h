#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "llm/provider.h"
#include "store/sqlite/cache_file.h"

namespace spoor::llm {

/// The version of this program's cache entries, for CacheFile::Options.
constexpr std::int64_t kReplyCacheVersion = 2;

/// Answers a repeated request with the cached reply: the same events and the same reply, except for
/// `from_cache`. Requests are the same if profile (name and address), model and body are equal,
/// byte for byte. Only complete replies are cached, and none that contains a key of this process;
/// requests are stored as hashes only. The cache is opt-in.
///
/// A file error never stops a call: if an entry cannot be read, the request is sent; if a reply
/// cannot be written, it is not cached. problem() returns the error.
///
/// Safe to call from several threads at once; processes may share the file.
class ResponseCache final : public Provider {
 public:
  ResponseCache(std::unique_ptr<Provider> inner, std::unique_ptr<store::CacheFile> file);

  const Profile& profile() const override { return inner_->profile(); }
  Reply complete(const Request& request, const OnEvent& on_event) override;
  TokenCounting* token_counting() override { return inner_->token_counting(); }
  ModelListing* model_listing() override { return inner_->model_listing(); }

  /// Returns the last error of the file; nullopt if there was none.
  std::optional<Error> problem() const;

 private:
  std::optional<Reply> kept(const store::Oid& key, const Request& request, const OnEvent& on_event);
  void note(const Result<void>& done);

  const std::unique_ptr<Provider> inner_;
  const std::unique_ptr<store::CacheFile> file_;
  mutable std::mutex mutex_;
  std::optional<Error> problem_;  // Guarded by mutex_.
};

}  // namespace spoor::llm
