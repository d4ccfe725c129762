#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/archive.h"
#include "store/archive_reader.h"
#include "store/gc.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/temp_dir.h"
#include "tests/store/turns.h"

namespace spoor::store::sample {

/// The bytes of an archive of a branch that no other store has, `refs/heads/theirs`.
inline std::string archive_of_another_store() {
  const TempDir folder;
  const auto store = SqliteStore::create(folder / "other.spoor").value();
  const Reader reader(*store);
  for (std::uint64_t i = 0; i < 20; ++i) {
    append_turn(*store, reader, branch_ref("theirs"), text_of(i * 700, 9'000 + i)).value();
  }
  std::string bytes;
  const auto written = write_archive(*store, {.refs = store->refs("").value()},
                                     [&bytes](std::string_view part) -> Result<void> {
                                       bytes += part;
                                       return {};
                                     });
  return written ? bytes : std::string();
}

/// Takes it in as branch `name`.
inline Result<void> import_archive(Store& store, const std::string& archive,
                                   const std::string& name) {
  std::string_view rest = archive;
  const auto received =
      TRY(receive_archive(store, {}, [&rest](std::span<char> room) -> Result<std::size_t> {
        const std::size_t count = std::min(rest.size(), room.size());
        std::copy_n(rest.begin(), count, room.begin());
        rest.remove_prefix(count);
        return count;
      }));
  const Oid tip = received.head.refs.front().target;
  const auto before = TRY(store.ref(branch_ref(name)));
  TRY(store.commit(move_ref(branch_ref(name), before, tip, {})));
  return {};
}

/// Takes away a branch, where it is there.
inline Result<void> drop_branch(Store& store, const std::string& name) {
  const auto tip = TRY(store.ref(branch_ref(name)));
  if (!tip) return {};
  TRY(store.commit(move_ref(branch_ref(name), tip, std::nullopt, {})));
  return {};
}

inline GcOptions without_retention() { return {.keep_since = {INT64_MAX}, .actor = "gc"}; }

/// gc without any retention.
inline Result<void> collect_garbage(Store& store) {
  TRY(collect_garbage(store, without_retention()));
  return {};
}

/// Compresses all that is not yet.
inline Result<void> pack(Store& store) {
  TRY(store.pack([] { return false; }));
  return {};
}

/// What erase_something() puts, and takes away again.
inline Oid erased_by(std::uint64_t number) { return blob(words_of(700, 7'000'000 + number)).oid; }

/// Erases a content that nothing names, with all that this takes: in a packed store its
/// dictionaries go, and come anew.
inline Result<void> erase_something(Store& store, std::uint64_t number) {
  const std::array gone = {blob(words_of(700, 7'000'000 + number))};
  TRY(store.put(gone));
  TRY(store.erase(std::array{erased_by(number)}));
  return store.compact();
}

}  // namespace spoor::store::sample
