// The functions of the C interface that read on: logs and watches.
#include <chrono>
#include <limits>
#include <mutex>
#include <optional>

#include "api/turns/follow.h"
#include "api/turns/turn_json.h"
#include "api/turns/turn_view.h"
#include "c/store.h"

namespace spoor::c {
namespace {

// Reads a chain in pages.
class Log final : public Handle {
 public:
  Log(std::shared_ptr<Store> store, const store::Oid& from)
      : Handle(store), store_(std::move(store)), next_(from) {}

  Result<int32_t> read(spoor_entry& entry) {
    const std::lock_guard lock(mutex_);
    if (at_ == page_.size() && !TRY(read_page())) return SPOOR_DONE;
    const api::TurnView& view = page_[at_++];
    calls_.clear();
    if (!view.calls().empty()) {
      api::JsonWriter json(true);
      api::write_calls(json, view.calls());
      calls_ = json.take_value();
    }
    std::ranges::copy(view.oid.bytes, entry.id.bytes);
    entry.type = borrowed(view.kind());
    entry.text = borrowed(view.text_or_empty());
    entry.tool_calls = borrowed(calls_);
    entry.call_id = borrowed(view.fields.call_id);
    entry.name = borrowed(view.fields.name);
    entry.author = borrowed(view.commit->author);
    entry.metadata = borrowed(view.extra.metadata);
    const auto& time = view.commit->time;
    entry.time = time ? time->micros : std::numeric_limits<std::int64_t>::min();
    entry.is_error = view.fields.is_error ? 1 : 0;
    return SPOOR_OK;
  }

 private:
  // Returns false at the end of the chain.
  Result<bool> read_page() {
    constexpr std::size_t kPage = 64;
    if (!next_) return false;
    const store::Reader& reader = store_->repository().reader();
    std::vector<store::NamedCommit> commits;
    TRY(reader.run(*next_, kPage, [&](const store::NamedCommit& commit) {
      commits.push_back(commit);
      return true;
    }));
    page_ = TRY(api::read_views(reader, commits));
    at_ = 0;
    const auto& parents = commits.back().commit->parents;
    next_ = parents.empty() ? std::nullopt : std::optional(parents.front());
    return true;
  }

  const std::shared_ptr<Store> store_;
  std::mutex mutex_;
  std::optional<store::Oid> next_;  // Guarded by mutex_, as are all below.
  std::vector<api::TurnView> page_;
  std::size_t at_ = 0;
  std::string calls_;  // Of the newest entry.
};

class Watch final : public Handle {
 public:
  Watch(std::shared_ptr<Store> store, api::Follow follow)
      : Handle(store), store_(std::move(store)), follow_(std::move(follow)) {}

  Result<int32_t> wait(std::int64_t milliseconds, spoor_buffer& moved) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
    const std::lock_guard lock(mutex_);
    const auto found = TRY(
        follow_.wait([&] { return is_closed() || (milliseconds >= 0 && Clock::now() >= end); }));
    if (is_closed()) return interrupted("the watch was closed");
    if (found.empty()) return SPOOR_DONE;
    api::JsonWriter json(true);
    json.array();
    for (const api::Follow::Moved& each : found) {
      json.object().member("branch", each.branch).list("turns");
      for (const store::Oid& turn : each.turns) json.value(turn);
      json.end().end();
    }
    return give(json.end().take_value(), moved);
  }

 private:
  const std::shared_ptr<Store> store_;
  std::mutex mutex_;
  api::Follow follow_;  // Guarded by mutex_.
};

}  // namespace

extern "C" {

int32_t spoor_log_open(spoor_store* store, spoor_str revision, spoor_log** log) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(log, "log"));
    auto open = TRY(find<Store>(store));
    TRY(open->repository().forget_erased());
    const auto from = TRY(open->workspace().resolve(text(revision)));
    auto begun = std::make_shared<Log>(std::move(open), from);
    give_handle(std::move(begun), log);
    return SPOOR_OK;
  });
}

int32_t spoor_log_next(spoor_log* log, spoor_entry* entry) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(entry, "entry"));
    return TRY(find<Log>(log))->read(*entry);
  });
}

int32_t spoor_log_close(spoor_log* log) {
  return guarded([&]() -> Result<int32_t> {
    TRY(close<Log>(log));
    return SPOOR_OK;
  });
}

int32_t spoor_watch_open(spoor_store* store, spoor_str branch, spoor_watch** watch) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(watch, "watch"));
    auto open = TRY(find<Store>(store));
    const std::string name(text(branch));
    auto follow =
        TRY(api::Follow::begin(open->workspace(), name.empty() ? "" : store::branch_ref(name)));
    auto begun = std::make_shared<Watch>(std::move(open), std::move(follow));
    give_handle(std::move(begun), watch);
    return SPOOR_OK;
  });
}

int32_t spoor_watch_next(spoor_watch* watch, int64_t milliseconds, spoor_buffer* moved) {
  return guarded([&]() -> Result<int32_t> {
    TRY(clear(moved, "moved"));
    return TRY(find<Watch>(watch))->wait(milliseconds, *moved);
  });
}

int32_t spoor_watch_close(spoor_watch* watch) {
  return guarded([&]() -> Result<int32_t> {
    TRY(close<Watch>(watch));
    return SPOOR_OK;
  });
}

}  // extern "C"

}  // namespace spoor::c
