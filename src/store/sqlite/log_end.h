#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "store/sqlite/connection.h"

struct sqlite3;
struct sqlite3_file;

namespace spoor::store::sqlite {

/// The header of a log's index, of which there are two copies; a writer writes the first one last.
using IndexHeader = std::array<unsigned char, 48>;

/// The end of the SQLite log: a number of frames in a certain log.
struct LogEnd {
  std::array<unsigned char, 8> salts{};  ///< of its header; change when the log is restarted
  std::uint32_t frames = 0;

  bool operator==(const LogEnd&) const = default;
};

/// Reads the end of the last commit from the log's index in shared memory
/// (https://www.sqlite.org/walformat.html). Nullopt if there is no index, or if it changes
/// constantly.
std::optional<LogEnd> log_end(Connection& connection);

/// Returns SQLite's handle of the store's file. Opening and closing the file separately would drop
/// SQLite's locks (a rule of POSIX locks). Null before SQLite has opened it.
sqlite3_file* store_file(sqlite3* database);

/// Returns SQLite's handle of the log; null if it has none open.
sqlite3_file* log_file(sqlite3* database);

/// Returns the offset of a frame, which begins with its header and its page (format as above).
constexpr std::int64_t kLogHeaderSize = 32;
constexpr std::int64_t kFrameHeaderSize = 24;
constexpr std::int64_t kFrameSize = kFrameHeaderSize + 4096;
constexpr std::int64_t offset_of_frame(std::uint32_t frames_before) {
  return kLogHeaderSize + kFrameSize * frames_before;
}

}  // namespace spoor::store::sqlite
