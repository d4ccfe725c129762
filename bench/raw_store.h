#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace spoor::bench {

/// The floor of every write: SQLite, one table of (hash, blob), WAL, the same
/// durability as ours, and nothing else.
class RawStore {
 public:
  explicit RawStore(const std::string& path);
  ~RawStore();
  RawStore(const RawStore&) = delete;
  RawStore& operator=(const RawStore&) = delete;

  /// One INSERT in a transaction of its own.
  void insert(std::string_view hash, std::string_view blob);

  struct Pair {
    std::string_view hash;
    std::string_view blob;
  };
  /// Several INSERTs in one transaction.
  void insert_together(std::initializer_list<Pair> pairs) { insert_all(pairs); }
  void insert_all(std::span<const Pair> pairs);

  /// How many blobs hold `needle`: reads them all, in the order they came.
  std::size_t count_with(std::string_view needle);

 private:
  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace spoor::bench
