#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "store/sqlite/connection.h"

struct sqlite3;
struct sqlite3_file;

namespace spoor::store::sqlite {

/// Where SQLite's log ends: how many frames of which log.
struct LogEnd {
  std::array<unsigned char, 8> salts{};  ///< of its header; others each time that it begins anew
  std::uint32_t frames = 0;

  bool operator==(const LogEnd&) const = default;
};

/// What the log's index in shared memory says (https://www.sqlite.org/walformat.html), which is the
/// last commit's end. Nothing where there is no index, or where it changes all the time.
std::optional<LogEnd> log_end(Connection& connection);

/// The store's file, in SQLite's own hands: to open and close it beside SQLite would drop its locks
/// (a rule of POSIX locks). Null before SQLite has opened it.
sqlite3_file* store_file(sqlite3* database);

/// The log's, likewise; null where it has none open.
sqlite3_file* log_file(sqlite3* database);

/// Bytes before a frame: its header and its page are behind them (format as above).
constexpr std::int64_t kLogHeaderSize = 32;
constexpr std::int64_t kFrameHeaderSize = 24;
constexpr std::int64_t kFrameSize = kFrameHeaderSize + 4096;
constexpr std::int64_t offset_of_frame(std::uint32_t frames_before) {
  return kLogHeaderSize + kFrameSize * frames_before;
}

}  // namespace spoor::store::sqlite
