#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "store/ancestry.h"
#include "store/reader.h"
#include "store/store.h"
#include "tests/store/sample.h"

namespace spoor::store::sample {

/// A user's turn on top of whatever the ref names now, of which only the store is asked.
inline Result<Oid> append_turn(Store& store, const Reader& reader, const std::string& ref,
                               std::string_view text) {
  const auto tip = TRY(store.ref(ref));
  NewObject content = blob(text);
  Commit commit;
  commit.type = Type::user;
  commit.content = Content{content.oid};
  if (tip) {
    const auto parent = TRY(reader.commit(*tip));
    commit.parents = {*tip};
    commit.depth = parent->depth + 1;
    commit.gen = parent->gen + 1;
    commit.skip = TRY(skip_of_child(reader, *tip, commit.depth));
  }
  NewObject object = new_object(Kind::commit, TRY(serialize(commit)));
  const Oid oid = object.oid;
  TRY(store.commit(move_ref(ref, tip, oid, {std::move(content), std::move(object)})));
  return oid;
}

/// A content of this many bytes that no other number gives.
inline std::string text_of(std::size_t size, std::uint64_t number) {
  std::string text = std::to_string(number) + ":";
  text.resize(std::max(size, text.size()), static_cast<char>('a' + number % 26));
  return text;
}

/// The same; a short one is of words, so that a dictionary can be learned from some of them.
inline std::string words_of(std::size_t size, std::uint64_t number) {
  if (size > 3'000) return text_of(size, number);
  std::string text = std::to_string(number) + ":";
  for (std::uint64_t seed = number; text.size() < size;) {
    seed = seed * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;  // Knuth's MMIX.
    text += " word" + std::to_string(seed >> 55U);
  }
  return text;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace spoor::store::sample
