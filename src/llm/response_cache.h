#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "llm/provider.h"
#include "store/sqlite/cache_file.h"

namespace spoor::llm {

/// The version of the entries that this program keeps, for CacheFile::Options.
constexpr std::int64_t kReplyCacheVersion = 1;

/// A provider that answers a request it has seen before with the reply it got then: the same events
/// and the same reply, but for `from_cache`. The same request is the same profile (name and
/// address), model and body, byte for byte. Only whole replies are kept, and
/// none that repeats a key this process holds; requests are kept as hashes alone. Nobody gets one
/// without asking for it.
///
/// Trouble with the file never stops a call: what cannot be read is asked for, what cannot be
/// written is not kept, and problem() tells.
///
/// Safe to call from several threads at once; processes may share the file.
class ResponseCache final : public Provider {
 public:
  ResponseCache(std::unique_ptr<Provider> inner, std::unique_ptr<store::CacheFile> file);

  const Profile& profile() const override { return inner_->profile(); }
  Reply complete(const Request& request, const OnEvent& on_event) override;
  TokenCounting* token_counting() override { return inner_->token_counting(); }
  ModelListing* model_listing() override { return inner_->model_listing(); }

  /// The last thing that went wrong with the file; nothing when all is well.
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
