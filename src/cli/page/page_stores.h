#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"

namespace spoor::cli::page {

/// Returns true if the page may ask for this operation of `spoor batch`: those that only read the
/// store, and with `may_write` a few that change branches and can be undone. None runs a program,
/// asks a model, writes a file or moves HEAD.
bool is_offered(std::string_view operation, bool may_write);

/// Answers the requests of a page from several threads. A store opened by a session is for one
/// thread at a time, so there are a few, made when they are needed; they keep what they read, so an
/// answer does not depend on the connection that asks.
///
/// Operations that read whole sessions use half of the stores at most: a page that was left, whose
/// requests are still answered, does not delay the next one. Their answers are kept until the store
/// changes.
class PageStores {
 public:
  /// `session` gives environment and clock, and must outlive this. `path`: the store.
  PageStores(Session& session, std::string path, bool may_write);
  ~PageStores();

  /// Answers one request of `spoor batch` (docs/batch.md), with one member more: `erasures`, how
  /// often something was erased or swept before. Where that number grows, what a page read earlier
  /// may be what nobody may read any more. Safe to call from any thread. Never fails: an error is
  /// an answer, too.
  std::string answer(std::string_view request);

  /// Passes `{"ready":true,"erasures":N}` to `put` when it follows the store, `{"erasures":N}` when
  /// that grows, and a JSON object for each branch that moves, until `put` returns false or
  /// `is_over` returns true: `{"branch", "head", "position", "turns"}`, the last being how many
  /// were added: none if turns were marked, or if the branch went back.
  Result<void> follow(const std::function<bool(std::string_view)>& put,
                      const std::function<bool()>& is_over);

 private:
  class Worker;
  class Taken;

  // An answer, and the newest operation of the store and the request that it is of.
  struct CachedAnswer {
    std::string key, answer;
  };

  std::optional<std::string> kept(const std::string& key);
  void keep(std::string key, const std::string& answer);

  Session& session_;
  const std::string path_;
  const bool may_write_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Worker>> free_;  // Guarded by mutex_, as are those below.
  std::size_t made_ = 0;
  std::size_t long_ = 0;              // Stores that answer operations that read whole sessions.
  std::vector<CachedAnswer> cached_;  // Most recently used last.
  std::size_t cached_bytes_ = 0;
};

}  // namespace spoor::cli::page
