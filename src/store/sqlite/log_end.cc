#include "store/sqlite/log_end.h"

#include <sqlite3.h>

#include <cstring>

namespace spoor::store::sqlite {
namespace {

constexpr int kRegion = 32'768;
constexpr std::size_t kHeader = sizeof(IndexHeader);
constexpr std::size_t kIsMade = 12;
constexpr std::size_t kFrames = 16;
constexpr std::size_t kSalts = 32;
constexpr int kTries = 100;

sqlite3_file* pointer(sqlite3* database, int which) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database, "main", which, static_cast<void*>(&file));
  return file == nullptr || file->pMethods == nullptr ? nullptr : file;
}

}  // namespace

std::optional<LogEnd> log_end(Connection& connection) {
  // If SQLite reads only the file, it has no index, and would never release one made for us.
  if (log_file(connection.handle()) == nullptr) return {};
  sqlite3_file* file = store_file(connection.handle());
  if (file == nullptr || file->pMethods->iVersion < 2) return {};
  void volatile* memory = nullptr;
  const int code = file->pMethods->xShmMap(file, 0, kRegion, 0, &memory);
  if ((code & 0xff) != SQLITE_OK && code != SQLITE_READONLY) return {};
  if (memory == nullptr) return {};

  const auto* bytes = static_cast<const volatile unsigned char*>(memory);
  std::array<unsigned char, 2 * kHeader> copy{};
  for (int i = 0; i < kTries; ++i) {
    for (std::size_t at = 0; at < copy.size(); ++at) copy.at(at) = bytes[at];
    file->pMethods->xShmBarrier(file);
    if (std::memcmp(copy.data(), copy.data() + kHeader, kHeader) != 0) continue;
    if (copy.at(kIsMade) == 0) return {};
    LogEnd end;
    std::memcpy(&end.frames, copy.data() + kFrames, sizeof end.frames);
    std::memcpy(end.salts.data(), copy.data() + kSalts, end.salts.size());
    return end;
  }
  return {};
}

sqlite3_file* store_file(sqlite3* database) { return pointer(database, SQLITE_FCNTL_FILE_POINTER); }

sqlite3_file* log_file(sqlite3* database) {
  return pointer(database, SQLITE_FCNTL_JOURNAL_POINTER);
}

}  // namespace spoor::store::sqlite
