#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/fsck.h"
#include "store/memory_store.h"
#include "store/tombstone.h"
#include "sync/client.h"
#include "sync/server.h"
#include "tests/store/temp_dir.h"
#include "tests/store/world.h"

namespace sync_test {

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;
using namespace spoor::sync;

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

class StillClock final : public Clock {
 public:
  Timestamp now() const override { return at(0); }
};

/// A store in memory, with a folder for its transfers.
struct Side {
  MemoryStore store;
  TempDir folder;
  StillClock clock;

  Intake intake() const { return {.file = folder / "store", .actor = "tester"}; }

  std::size_t spools() const {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder.path())) {
      count += each.path().filename().string().starts_with("store-incoming-") ? 1 : 0;
    }
    return count;
  }

  /// Moves a ref, with the objects of a world.
  void move(const std::string& ref, const std::optional<Oid>& to, const World& world) {
    const auto before = store.ref(ref).value();
    if (before == to) return;
    REQUIRE(store.put(world.objects));
    REQUIRE(store.commit(move_ref(ref, before, to)));
  }

  /// Erases a text, as this store's own act.
  void erase(const std::string& text) {
    const Tombstone stone{.erased = {blob(text).oid}, .author = "tester", .time = at(1)};
    const NewObject object = new_object(Kind::tombstone, serialize(stone).value());
    constexpr std::array<std::string_view, 2> kLists = {"tombstones", "tombstones.own"};
    const auto lists = store.properties(kLists).value();
    Transaction change;
    change.objects = {object};
    change.erase = stone.erased;
    for (std::size_t i = 0; i < kLists.size(); ++i) {
      const std::string before = lists.values[i].value_or("");
      change.properties.emplace_back(kLists[i], before + object.oid.hex() + "\n");
    }
    REQUIRE(store.commit(change));
  }

  RefMap refs() const {
    RefMap all;
    for (const Ref& each : store.refs("refs/").value()) all.emplace(each.name, each.target);
    return all;
  }
};

/// A link in memory that counts, and that is lost after some bytes.
class CountedLink final : public Link {
 public:
  explicit CountedLink(Side& to, ServerOptions options = {})
      : server_(to.store, to.clock, [&] {
          options.intake = to.intake();
          options.head = branch_ref("main");
          return options;
        }()) {}

  Result<ByteSource> ask(const std::function<Result<void>(const ByteSink&)>& write) override {
    ++trips;
    std::string request;
    const auto sent = write([&](std::string_view bytes) -> Result<void> {
      const std::uint64_t room = up_limit - std::min(up_limit, up);
      request += bytes.substr(0, room);
      up += std::min<std::uint64_t>(bytes.size(), room);
      return bytes.size() <= room ? Result<void>() : unavailable("lost");
    });
    std::size_t at = 0;
    answer_.clear();
    const ByteSource source = [&](std::span<char> to) -> Result<std::size_t> {
      const std::size_t count = std::min(to.size(), request.size() - at);
      request.copy(to.data(), count, at);
      at += count;
      if (count == 0 && !sent) return unavailable("lost");
      return count;
    };
    const auto answered = server_.answer(source, [&](std::string_view bytes) -> Result<void> {
      answer_ += bytes;
      return {};
    });
    if (!sent) return sent.error();
    if (!answered) return answered.error();
    if (change) change(answer_);
    return ByteSource(
        [this, done = std::size_t{0}](std::span<char> to) mutable -> Result<std::size_t> {
          const std::uint64_t room = down_limit - std::min(down_limit, down);
          const std::size_t count =
              std::min({to.size(), answer_.size() - done, static_cast<std::size_t>(room)});
          if (count == 0 && done < answer_.size()) return unavailable("lost");
          answer_.copy(to.data(), count, done);
          done += count;
          down += count;
          return count;
        });
  }

  std::uint64_t trips = 0;
  std::uint64_t up = 0;
  std::uint64_t down = 0;
  std::uint64_t up_limit = kNoLimit;
  std::uint64_t down_limit = kNoLimit;
  std::function<void(std::string&)> change;  ///< of an answer

 private:
  Server server_;
  std::string answer_;
};

inline Result<Fetched> fetch_all(Side& to, Link& link, const Seen& seen = {}) {
  return fetch(to.store, link, {.name = "origin", .url = {}, .seen = seen}, to.intake(), at(0));
}

inline Result<Fetched> fetch_all(Side& to, Side& from, const Seen& seen = {}) {
  CountedLink link(from);
  return fetch_all(to, link, seen);
}

inline Result<Pushed> push_branch(Side& from, Link& link, const std::string& branch,
                                  bool is_leased = false) {
  const std::string ref = branch_ref(branch);
  return push(from.store, link, {"origin", {}}, {{ref, from.store.ref(ref).value(), is_leased}},
              from.intake(), at(0));
}

inline std::string text_of(Error error) { return error.message; }

}  // namespace sync_test
