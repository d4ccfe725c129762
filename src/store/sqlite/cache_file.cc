#include "store/sqlite/cache_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "base/big_endian.h"
#include "store/sha256.h"
#include "store/sqlite/side_file.h"

namespace spoor::store {
namespace {

using sqlite::SideFile;

constexpr const char* kWhat = "the cache of replies";
constexpr const char* kHint = "delete the file if its replies are not needed";

// "spre" as SQLite's `application_id`, which no other file has by chance.
constexpr std::int64_t kOurs = 0x73707265;

// Entries in order of insertion; `total` is the sum of their sizes.
constexpr const char* kTables =
    "CREATE TABLE entries(number INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE,"
    " digest BLOB NOT NULL, bytes BLOB NOT NULL);"
    "CREATE TABLE total(bytes INTEGER NOT NULL);"
    "INSERT INTO total VALUES(0);";

constexpr const char* kDropTables = "DROP TABLE IF EXISTS entries; DROP TABLE IF EXISTS total;";

Oid digest_of(const Oid& key, std::string_view bytes) { return sha256(key.view(), bytes); }

bool is_damage(const Error& error) { return error.code == Error::Code::corrupt; }

// Returns whether the file is not empty and not ours. Reads its bytes, which works however damaged
// the rest is: SQLite's header has the `application_id` at 68.
bool is_foreign(const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, 72> header = {};
  std::ifstream file(path, std::ios::binary);
  file.read(header.data(), header.size());
  if (file.gcount() == 0) return false;
  const std::string_view bytes(header.data(), header.size());
  return !bytes.starts_with(kMagic) ||
         static_cast<std::int64_t>(big_endian(bytes.substr(68))) != kOurs;
}

}  // namespace

std::string reply_cache_path(const std::string& store_path) { return store_path + "-replies"; }

CacheFile::CacheFile(std::string path, const Options& options)
    : path_(std::move(path)), options_(options) {}

CacheFile::~CacheFile() = default;

Result<std::unique_ptr<CacheFile>> CacheFile::open(const std::string& path,
                                                   const Options& options) {
  std::unique_ptr<CacheFile> cache(new CacheFile(path, options));
  TRY(cache->open_file());
  return cache;
}

Result<void> CacheFile::open_file() {
  if (is_foreign(path_)) {
    return invalid(fmt::format("'{}' is not a cache of replies", path_),
                   "choose another path; the file was not changed");
  }
  auto made = [&]() -> Result<void> {
    file_ = TRY(SideFile::open(path_, options_.permissions, SideFile::Sync::normal, kWhat, kHint));
    return make_tables();
  }();
  if (!made && is_damage(made.error())) return make_anew();
  return made;
}

// Makes the tables, unless they exist in our version.
Result<void> CacheFile::make_tables() {
  const auto are_ready = [this]() -> Result<bool> {
    if (TRY(file_->number("PRAGMA user_version")) != options_.version) return false;
    return TRY(file_->number("SELECT count(*) FROM sqlite_schema WHERE name IN"
                             " ('entries','total')")) == 2;
  };
  if (TRY(are_ready())) return {};
  return file_->update([&]() -> Result<void> {
    if (TRY(are_ready())) return {};  // Another process was first.
    TRY(file_->execute(kDropTables));
    TRY(file_->execute(kTables));
    return file_->execute(
        fmt::format("PRAGMA application_id={}; PRAGMA user_version={};", kOurs, options_.version)
            .c_str());
  });
}

// Replaces our damaged file with an empty one. Processes that have the old one open keep it.
Result<void> CacheFile::make_anew() {
  file_.reset();
  ::unlink((path_ + "-journal").c_str());
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) {
    return io_error(fmt::format("cannot remove '{}': {}", path_, std::strerror(errno)), kHint);
  }
  file_ = TRY(SideFile::open(path_, options_.permissions, SideFile::Sync::normal, kWhat, kHint));
  return make_tables();
}

Result<std::optional<std::string>> CacheFile::get(const Oid& key) {
  const std::scoped_lock lock(mutex_);
  auto bytes = read(key);
  if (bytes || !is_damage(bytes.error())) return bytes;
  TRY(make_anew());
  return std::optional<std::string>();
}

Result<std::optional<std::string>> CacheFile::read(const Oid& key) {
  {
    SideFile::Row row = TRY(file_->prepare("SELECT digest, bytes FROM entries WHERE key=?1"));
    row.bind(1, key);
    if (!TRY(row.step())) return std::optional<std::string>();
    std::string bytes(row.bytes(1));
    const auto digest = Oid::from_bytes(row.bytes(0));
    if (digest && *digest == digest_of(key, bytes)) return std::optional(std::move(bytes));
  }
  TRY(file_->update([&] { return remove(key); }));
  return std::optional<std::string>();
}

Result<void> CacheFile::put(const Oid& key, std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  const auto put_once = [&] { return file_->update([&] { return write(key, bytes); }); };
  auto done = put_once();
  if (done || !is_damage(done.error())) return done;
  TRY(make_anew());
  return put_once();
}

Result<void> CacheFile::write(const Oid& key, std::string_view bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  TRY(remove(key));
  if (size > options_.max_bytes) return {};
  TRY(make_room(size));
  SideFile::Row row =
      TRY(file_->prepare("INSERT INTO entries(key, digest, bytes) VALUES(?1, ?2, ?3)"));
  row.bind(1, key);
  row.bind(2, digest_of(key, bytes));
  row.bind_blob(3, bytes);
  TRY(row.step());
  SideFile::Row total = TRY(file_->prepare("UPDATE total SET bytes = bytes + ?1"));
  total.bind(1, size);
  TRY(total.step());
  return {};
}

Result<void> CacheFile::drop(const Oid& key) {
  const std::scoped_lock lock(mutex_);
  return file_->update([&] { return remove(key); });
}

// Within a transaction, like make_room().
Result<void> CacheFile::remove(const Oid& key) {
  SideFile::Row total = TRY(file_->prepare(
      "UPDATE total SET bytes = bytes - (SELECT length(bytes) FROM entries WHERE key=?1)"
      " WHERE EXISTS(SELECT 1 FROM entries WHERE key=?1)"));
  total.bind(1, key);
  TRY(total.step());
  SideFile::Row row = TRY(file_->prepare("DELETE FROM entries WHERE key=?1"));
  row.bind(1, key);
  TRY(row.step());
  return {};
}

Result<void> CacheFile::make_room(std::int64_t bytes) {
  while (TRY(file_->number("SELECT bytes FROM total")) + bytes > options_.max_bytes) {
    SideFile::Row oldest = TRY(file_->prepare("SELECT key FROM entries ORDER BY number LIMIT 1"));
    if (!TRY(oldest.step())) return {};
    const auto key = Oid::from_bytes(oldest.bytes(0));
    if (!key) return corrupt("the cache of replies: an entry has no key", kHint);
    TRY(remove(*key));
  }
  return {};
}

Result<CacheFile::Size> CacheFile::size() {
  const std::scoped_lock lock(mutex_);
  Size size;
  size.entries = TRY(file_->number("SELECT count(*) FROM entries"));
  size.bytes = TRY(file_->number("SELECT bytes FROM total"));
  return size;
}

Result<void> CacheFile::clear() {
  const std::scoped_lock lock(mutex_);
  return file_->update([this]() -> Result<void> {
    TRY(file_->execute(kDropTables));
    return file_->execute(kTables);
  });
}

Result<void> CacheFile::forget(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return {};
  const auto cache = open(path, Options{});
  if (!cache) {
    // Another program's file at our path must not be emptied.
    return cache.error().code == Error::Code::invalid ? Result<void>() : cache.error();
  }
  // Empties the whole file, not table by table: a damaged file may contain data that none of its
  // tables reaches.
  const std::scoped_lock lock(cache.value()->mutex_);
  TRY(cache.value()->file_->empty());
  return cache.value()->make_tables();
}

}  // namespace spoor::store
